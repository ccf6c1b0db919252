/** Explains the system's file errors to the model. */
import { code_of, is_denied } from "../../permission/file_faults.ts";
import { Refusal, ToolFailure } from "../failure.ts";

const full = (name: string) => `the disk is full: ${name} was left unchanged`;

/** By the system's name for what went wrong. */
const FAULTS: Readonly<Record<string, (name: string) => string>> = {
  ENOENT: (name) => `${name} does not exist`,
  ENOTDIR: (name) => `a part of the path of ${name} is not a folder`,
  EISDIR: (name) => `${name} is a folder`,
  ELOOP: (name) => `${name} is a symbolic link that leads to itself`,
  ENAMETOOLONG: (name) => `a part of the path of ${name} is too long`,
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: (name) => `${name} would be larger than is allowed; it was left unchanged`,
  EROFS: (name) => `${name} is on a read-only file system`,
  ETXTBSY: (name) => `${name} is a program that is running`,
};

/** The failure that the model is told about for an error of a file call; anything unknown stays as it is. */
export function explained(error: unknown, name: string): unknown {
  if (error instanceof ToolFailure || error instanceof Refusal) return error;
  // Deno's own rights, which are those of the policy.
  if (error instanceof Deno.errors.NotCapable) {
    return new Refusal(`the policy does not allow opening ${name}`);
  }
  const code = code_of(error) ?? "";
  if (Object.hasOwn(FAULTS, code)) return new ToolFailure(FAULTS[code]?.(name) ?? "");
  return is_denied(error) ? new ToolFailure(`no permission to open ${name}`) : error;
}
