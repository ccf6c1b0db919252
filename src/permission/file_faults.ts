/** Classifies errors of file calls. */

/** Whether the system or the policy refused, rather than failed. */
export function is_denied(error: unknown): boolean {
  return ["EACCES", "EPERM"].includes(code_of(error)) || error instanceof Deno.errors.NotCapable ||
    error instanceof Deno.errors.PermissionDenied;
}

/** Whether the disk has no room, or no inode, or the user none on it. */
export function is_full(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(code_of(error));
}

/** Faults that Deno (2.6.10, 2.9.6) has no names for, by their numbers on Linux. */
const UNNAMED: Readonly<Record<string, string>> = {
  26: "ETXTBSY",
  27: "EFBIG",
  38: "ENOSYS",
  122: "EDQUOT",
};

/** The name of a system error, empty for others. */
export function code_of(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  const [, number = ""] = /\(os error (\d+)\)/.exec(error.message) ?? [];
  return UNNAMED[number] ?? "";
}
