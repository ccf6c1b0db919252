import { path as place } from "../../config/path.ts";
import type { ApplyPatchArgs } from "../declared/machine_tools.ts";
import { find_tool } from "../declared/every_tool.ts";
import { parse_patch } from "./patch_parse.ts";

/** The paths that a call of a tool is about to write, as they are given; none where it cannot be told, as of `bash`. */
export function written_by(tool: string, args: unknown): readonly string[] {
  switch (find_tool(tool)?.changes) {
    case "path":
      return [(args as { readonly path: string }).path];
    case "patch": {
      const { input, workdir } = args as ApplyPatchArgs;
      const paths = parse_patch(input).flatMap((section) =>
        section.kind === "update" && section.to !== null
          ? [section.path, section.to]
          : [section.path]
      );
      return workdir === undefined
        ? paths
        : paths.map((path) => path.startsWith("/") ? path : place.join(workdir, path));
    }
    case undefined:
      return [];
  }
}
