/** Faults for GitLab: the Code Climate list of a merge request's widget (`artifacts:reports:codequality`). */
import { hash } from "../../config/hash.ts";

export interface QualityFault {
  /** From the root of the repository. */
  readonly path: string;
  readonly line: number;
  readonly level: "error" | "warning" | "note";
  readonly message: string;
  readonly by: string;
}

const SEVERITY = { error: "major", warning: "minor", note: "info" } as const;

/** The file. A fault that moves to another line stays the same one: its fingerprint does not know the line. */
export function code_quality(faults: readonly QualityFault[]): string {
  const seen = new Map<string, number>();
  const list = faults.map(({ path, line, level, message, by }) => {
    const what = JSON.stringify([by, path, message]);
    const nth = seen.get(what) ?? 0;
    seen.set(what, nth + 1);
    return {
      description: message,
      check_name: by,
      fingerprint: hash(`${what} ${nth}`).toString(16).padStart(14, "0"),
      severity: SEVERITY[level],
      location: { path, lines: { begin: line } },
    };
  });
  return `${JSON.stringify(list, null, 2)}\n`;
}
