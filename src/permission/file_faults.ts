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

/** The name of a system error, empty for others. */
export function code_of(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : "";
}
