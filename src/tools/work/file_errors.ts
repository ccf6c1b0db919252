/** What the system says about a file, in words for the model. */
import { code_of, is_denied } from "../../permission/file_faults.ts";
import { Refusal, ToolFailure } from "../failure.ts";

/** The failure that the model is told about for an error of a file call; anything unknown stays as it is. */
export function explained(error: unknown, name: string): unknown {
  if (error instanceof ToolFailure || error instanceof Refusal) return error;
  // Deno's own rights, which are those of the policy.
  if (error instanceof Deno.errors.NotCapable) {
    return new Refusal(`the policy does not allow opening ${name}`);
  }
  switch (code_of(error)) {
    case "ENOENT":
      return new ToolFailure(`${name} does not exist`);
    case "ENOTDIR":
      return new ToolFailure(`a part of the path of ${name} is not a folder`);
    case "EISDIR":
      return new ToolFailure(`${name} is a folder`);
    case "ELOOP":
      return new ToolFailure(`${name} is a symbolic link that leads to itself`);
    case "ENAMETOOLONG":
      return new ToolFailure(`a part of the path of ${name} is too long`);
    case "ENOSPC":
    case "EDQUOT":
      return new ToolFailure(`the disk is full: ${name} was left unchanged`);
    case "EFBIG":
      return new ToolFailure(`${name} would be larger than is allowed; it was left unchanged`);
    case "EROFS":
      return new ToolFailure(`${name} is on a read-only file system`);
    case "ETXTBSY":
      return new ToolFailure(`${name} is a program that is running`);
  }
  return is_denied(error) ? new ToolFailure(`no permission to open ${name}`) : error;
}
