/** A work tree for one task: a clone of a repository, or a copy of a folder. */
import { attempt } from "../../config/attempt.ts";
import { temporary_folder } from "../../app/command_folders.ts";
import { message_of } from "../../config/text.ts";
import { git_folder } from "../../permission/git_folder.ts";
import { environment_beyond, program_beyond } from "../../permission/own_program.ts";
import type { TaskLine } from "./task_lines.ts";
import { UsageError } from "../../config/error.ts";

/** Before a folder of ours in the temporary folder. */
const PREFIX = "hamr_task_";

export interface Tree {
  readonly root: string;
  readonly path: string;
}

export function new_tree(name: string): Tree {
  try {
    const root = temporary_folder(PREFIX);
    return { root, path: `${root}/${name}` };
  } catch (error) {
    const why = message_of(error);
    throw new UsageError(`can't make a temporary folder: ${why}; set TMPDIR to a writable folder`);
  }
}

/** Removes the folder of a try that was cut off, on this machine or another; only what is called like one of ours. */
export function remove_tree(root: string): void {
  if (!new RegExp(`^/.*/${PREFIX}[^/]+$`).test(root)) return;
  // It may be gone already, or on another machine.
  attempt(() => Deno.removeSync(root, { recursive: true }));
}

/** The last part of a path or an address, for people and models. */
export function name_of_source({ repo, dir }: Pick<TaskLine, "repo" | "dir">): string {
  const last = (dir ?? repo ?? "").replace(/\/+$/, "").split(/[/:]/).at(-1) ?? "";
  return /^[\w.-]*\w[\w.-]*$/.test(last) ? last.replace(/\.git$/, "") || "work" : "work";
}

/** Folders that commands of other runs work in, so that no program in them is started outside the sandbox. */
export function work_places({ repo, dir }: Pick<TaskLine, "repo" | "dir">): readonly string[] {
  const source = dir ?? repo ?? ".";
  const places = [Deno.cwd(), ...(is_address(source) ? [] : [source])];
  return places.flatMap((place) => [place, git_folder(place)?.replace(/\/\.git$/, "") ?? place]);
}

/** Fills the folder, and gives the workspace in it. Throws `UsageError` with what git or cp says. */
export function fill_tree(tree: Tree, line: TaskLine): Promise<string> {
  return new Filling(work_places(line)).fill(tree, line);
}

/** What a hook of git that starts hamr has of its own repository: to git each stands above the folder that it is given. */
const OF_ANOTHER =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE)$/;
/** The user's own settings may lead git to hooks of the repository. */
const NO_HOOKS = ["-c", "core.hooksPath=/dev/null"];

class Filling {
  constructor(private readonly places: readonly string[]) {}

  async fill(tree: Tree, line: TaskLine): Promise<string> {
    const { repo, dir, ref } = line;
    if (dir !== undefined) {
      Deno.mkdirSync(tree.path);
      // With links, times and modes.
      await this.#command("cp", ["-a", `${dir}/.`, `${tree.path}/`], `copy ${dir}`);
      return tree.path;
    }
    const { from, below } = await this.#repository(repo ?? ".");
    // Nothing is written to the repository, however many clone it at once; its objects are read where they are.
    const shared = is_address(from) ? [] : ["--shared"];
    await this.#command(
      "git",
      ["clone", "--quiet", "--no-checkout", ...shared, "--", from, tree.path],
      `clone ${from}`,
    );
    const commit = await this.#commit_of(ref ?? "HEAD", { tree, from });
    await this.#command(
      "git",
      ["-C", tree.path, "checkout", "--quiet", "--detach", commit],
      `check out ${commit}`,
    );
    return below === "" ? tree.path : `${tree.path}/${below}`;
  }

  /** The repository that a folder is in, and where in it that is. */
  async #repository(path: string): Promise<{ from: string; below: string }> {
    if (is_address(path)) return { from: path, below: "" };
    const found = await this.#said("git", [
      "-C",
      path,
      "rev-parse",
      "--show-toplevel",
      "--show-prefix",
    ]);
    const [top = "", prefix = ""] = found.ok ? found.text.split("\n") : [];
    if (top !== "") return { from: top, below: prefix.replace(/\/$/, "") };
    // A bare one has no top.
    const bare = await this.#said("git", ["-C", path, "rev-parse", "--git-dir"]);
    if (bare.ok) return { from: path, below: "" };
    throw new UsageError(
      `${path} is not in a git repository: name a "repo", or a plain folder as "dir"`,
    );
  }

  /** In the repository itself a branch is known by its name; a clone of an address has it as `origin/...`. */
  async #commit_of(ref: string, { tree, from }: { tree: Tree; from: string }): Promise<string> {
    const names = is_address(from) ? [ref, `origin/${ref}`] : [ref];
    const where = is_address(from) ? tree.path : from;
    for (const name of names) {
      const { ok, text } = await this.#said("git", [
        ...["-C", where, "rev-parse", "--quiet", "--verify", "--end-of-options"],
        `${name}^{commit}`,
      ]);
      if (ok) return text.trim();
    }
    throw new UsageError(`${from} has no commit ${ref}`);
  }

  async #command(name: string, args: readonly string[], what: string): Promise<void> {
    const { ok, text } = await this.#said(name, args);
    if (!ok) throw new UsageError(`can't ${what}: ${text.trim().split("\n").at(-1)}`);
  }

  /** What a command printed: on standard output, or where it failed on standard error. */
  async #said(name: string, args: readonly string[]): Promise<{ ok: boolean; text: string }> {
    try {
      const program = program_beyond(this.places, name);
      if (program === null) throw new Error(`there is no ${name}`);
      const env = Object.entries(environment_beyond(this.places))
        .filter(([variable]) => !OF_ANOTHER.test(variable));
      const { success: ok, stdout, stderr } = await new Deno.Command(program, {
        args: [...name === "git" ? NO_HOOKS : [], ...args],
        stdin: "null",
        // A job that is asked for a password would wait for ever.
        clearEnv: true,
        env: { ...Object.fromEntries(env), GIT_TERMINAL_PROMPT: "0" },
      }).output();
      return { ok, text: new TextDecoder().decode(ok ? stdout : stderr) };
    } catch (error) {
      return { ok: false, text: message_of(error) };
    }
  }
}

/** Whether git would fetch it from elsewhere. */
export function is_address(repo: string): boolean {
  return /^[a-z+]+:\/\//.test(repo) || /^[^/]+@[^/]+:/.test(repo);
}
