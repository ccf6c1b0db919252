/** Recognizes a command line that can't succeed: its first program does not exist, and nothing in the run may install it. */
import { real_or } from "../config/paths.ts";
import { may_write, type Policy } from "../sandbox/policy.ts";
import { exists, resolved } from "./paths.ts";

/** `compgen -b` of bash 5.2: the shell does these itself. */
const BUILTINS = new Set(
  (". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs " +
    "disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local " +
    "logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend " +
    "test times trap true type typeset ulimit umask unalias unset wait").split(" "),
);
/** Variables that make a shell read a file, or name a function, before the command. */
const BEFORE = /^(?:BASH_ENV|ENV|BASH_FUNC_.*)$/;
/** Most begin with their program, some in another folder: that it is there is known without reading the rest. */
const SIMPLE = /^\s*(?:cd [\w./-]+ && )*(?!(?:cd|env|timeout|nohup|\S*sh)\s)([\w.+/-]+)(?=\s|$)/;

/** The program without which a command line ends in 127; null if not sure: a function, something to be made, or a line that goes on. */
export async function missing_program(script: string, policy: Policy): Promise<string | null> {
  const { env, write, sandbox } = policy;
  if (sandbox === "off" || write === "all" || Object.keys(env).some((name) => BEFORE.test(name))) {
    return null;
  }
  const simple = SIMPLE.exec(script)?.[1];
  if (simple !== undefined && may_be_there(simple, policy)) return null;
  const { first_program } = await import("./first_program.ts");
  const name = first_program(script);
  return name === null || may_be_there(name, policy) ? null : name;
}

function may_be_there(name: string, policy: Policy): boolean {
  if (BUILTINS.has(name)) return true;
  if (name.includes("/")) return !name.startsWith("/") || is_or_may_be(name, policy);
  const path = policy.env["PATH"] ?? "";
  return path.split(":").some((folder) =>
    // The shell's own folder is the workspace, or what `cd` has made it.
    !folder.startsWith("/") || is_or_may_be(resolved("/", `${folder}/${name}`), policy)
  );
}

/** Whether a file is there, or may be made by the run: then nobody can know. */
function is_or_may_be(file: string, policy: Policy): boolean {
  // A link that leads nowhere yet, too: so a program that is built here is put into PATH.
  if (exists(file)) return true;
  const folder = file.slice(0, file.lastIndexOf("/")) || "/";
  return may_write(policy, file) || may_write(policy, real_or(folder));
}
