/**
 * What a large folder costs: the CPU seconds of hamr and all it starts, beyond those of the same run in a small folder, as a share
 * of what git (outside git: find) takes to look at that folder once. Seconds of CPU, not of the clock: others may be at work.
 */
import { environment, pause } from "../../tests/support/hamr.ts";
import { bash, call, type Reply, say, serve_model } from "../../tests/support/model_server.ts";
import type { Figure } from "./figures.ts";

/** Files committed to git, and files in no repository (issue 12); of the small folders as many as one package has. */
const COMMITTED = 100_000;
const PLAIN = 30_000;
const SMALL = 50;
/** A file is as long as a short module, a folder as full as a package. */
const LINES = 30;
const FILES_IN_FOLDER = 50;
/** How often each run is made; the least of its figures counts. What disturbs a measurement only ever adds to it. */
export const LARGE_ROUNDS = 5;
/** Further commands of the run that has several. */
const FURTHER = 5;
/** Shares of one look at the folder, and of one `git grep`; of what is measured, from issue 12. */
const LIMIT = { answer: 0.3, edit: 0.6, bash: 3.5, further: 1.5, diff: 2, undo: 2, search: 3 };
const LIMIT_PEAK_MB = 60;
/** Outside git every file is looked at by its path: a share is one of two looks. */
const LOOKS_OUTSIDE = 2;
const NOWHERE = "no_such_name";
const ONE_FILE = "folder_0/file_0.ts";

/** A folder to work in, and what is typical of it. */
export interface LargePlaces {
  readonly git: Pair;
  readonly plain: Pair;
}

/** The same content, many times and a few times. */
interface Pair {
  readonly large: string;
  readonly small: string;
  /** The programs that look at it once, and search it once. */
  readonly look: string;
  readonly grep: string;
  /** Reads what may have to be put back; null if git has it. */
  readonly read: string | null;
  /** Looks in what is the measure. */
  readonly looks: number;
  readonly name: string;
  /** Puts the file back that is changed. */
  readonly reset: string;
}

/** What something took. */
interface Cost {
  readonly cpu_ms: number;
  readonly peak_mb: number;
}

/** Makes the folders below `root`: a minute. */
export async function make_large_places(root: string): Promise<LargePlaces> {
  // In a pack, as in a clone; and git does nothing by itself in the background while something is measured.
  const commit = "git init -q . && git config gc.auto 0 && git config maintenance.auto false && " +
    "git add -A && git -c user.name=b -c user.email=b@b commit -qm all && git repack -adq";
  for (const [name, files] of Object.entries({ git: COMMITTED, plain: PLAIN })) {
    fill(`${root}/${name}/large`, files);
    fill(`${root}/${name}/small`, SMALL);
  }
  for (const size of ["large", "small"]) {
    await measured(["bash", "-c", commit], `${root}/git/${size}`);
  }
  const pair = (name: string) => ({
    large: `${root}/${name}/large`,
    small: `${root}/${name}/small`,
  });
  return {
    git: {
      ...pair("git"),
      name: `${COMMITTED} committed files`,
      look: "git status --porcelain",
      grep: `git grep -n ${NOWHERE}`,
      read: null,
      looks: 1,
      reset: "git checkout -q . && git status --porcelain",
    },
    plain: {
      ...pair("plain"),
      name: `${PLAIN} files outside git`,
      look: "find . -type f -printf '%s %T@'",
      grep: `git grep -n --no-index ${NOWHERE}`,
      read: "find . -type f -exec cat {} +",
      looks: LOOKS_OUTSIDE,
      reset: `cp folder_0/file_1.ts ${ONE_FILE}`,
    },
  };
}

function fill(folder: string, files: number): void {
  for (let n = 0; n < files; n++) {
    const below = `${folder}/folder_${Math.floor(n / FILES_IN_FOLDER)}`;
    if (n % FILES_IN_FOLDER === 0) Deno.mkdirSync(below, { recursive: true });
    const of_file = n < 2 ? 0 : n;
    const line = (k: number) => `export const value_${of_file}_${k} = compute(${k});\n`;
    const text = Array.from({ length: LINES }, (_, k) => line(k)).join("");
    Deno.writeTextFileSync(`${below}/file_${n % FILES_IN_FOLDER}.ts`, text);
  }
}

/** The figures of one way to run the program. */
export async function large_figures(
  program: readonly string[],
  { name, places, rounds, home }: {
    readonly name: string;
    readonly places: LargePlaces;
    readonly rounds: number;
    /** Gives a fresh HOME. */
    readonly home: () => string;
  },
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const pair of [places.git, places.plain]) {
    figures.push(...await of_pair(program, { name, pair, rounds, home }));
  }
  return figures;
}

async function of_pair(
  program: readonly string[],
  { name, pair, rounds, home }: {
    readonly name: string;
    readonly pair: Pair;
    readonly rounds: number;
    readonly home: () => string;
  },
): Promise<Figure[]> {
  const large = new Least();
  const small = new Least();
  const program_of = (command: string) =>
    measured(["bash", "-c", `${command} || true`], pair.large);
  for (let round = 0; round < rounds; round++) {
    large.add("look", await program_of(pair.look));
    large.add("grep", await program_of(pair.grep));
    if (pair.read !== null) large.add("read", await program_of(pair.read));
    await each_run(program, { folder: pair.large, home, reset: pair.reset, least: large });
    await each_run(program, { folder: pair.small, home, reset: pair.reset, least: small });
  }
  const read_ms = pair.read === null ? 0 : large.cpu("read");
  const beyond = (what: string) =>
    large.cpu(what) - small.cpu(what) - (what === "bash" || what === "commands" ? read_ms : 0);
  const look_ms = large.cpu("look") * pair.looks;
  const figure = (
    what: string,
    measured: number,
    [baseline, limit]: readonly [number, number],
  ) => ({
    what: `${name}, ${pair.name}: ${what}`,
    measured,
    baseline,
    unit: "ms" as const,
    limit,
  });
  const look = `${pair.looks === 1 ? "" : `${pair.looks} × `}${pair.look.split(" -")[0]}`;
  const shares = (["answer", "edit", "bash"] as const).map((what) =>
    figure(`${RUN_NAMES[what]} / ${look}`, beyond(what), [look_ms, LIMIT[what]])
  );
  const further = (beyond("commands") - beyond("bash")) / FURTHER;
  const peaks = Object.keys(RUN_NAMES).map((what) => large.peak(what) - small.peak(what));
  return [
    ...shares,
    figure(`each further bash / ${look}`, further, [look_ms, LIMIT.further]),
    figure(`diff / ${look}`, beyond("diff"), [look_ms, LIMIT.diff]),
    figure(`undo / ${look}`, beyond("undo"), [look_ms, LIMIT.undo]),
    figure("read with search / git grep", beyond("search"), [large.cpu("grep"), LIMIT.search]),
    {
      what: `${name}, ${pair.name}: peak memory beyond that in a small folder`,
      measured: Math.max(...peaks),
      baseline: null,
      unit: "MB",
      limit: LIMIT_PEAK_MB,
    },
  ];
}

const RUN_NAMES = {
  answer: "an answer",
  edit: "one edit",
  bash: "one bash",
  commands: "several bash",
  search: "read with search",
} as const;

function replies(what: keyof typeof RUN_NAMES): Reply[] {
  const change = bash(`echo '// more' >> ${ONE_FILE}`);
  const edit = {
    path: ONE_FILE,
    old: "export const value_0_7 = compute(7);",
    new: "export const value_0_7 = 7;",
  };
  switch (what) {
    case "answer":
      return [];
    case "edit":
      return [call("edit", edit)];
    case "bash":
      return [change];
    case "commands":
      return [change, ...Array.from({ length: FURTHER }, (_, n) => bash(`echo ${n}`))];
    case "search":
      return [call("read", { path: ".", search: NOWHERE })];
  }
}

/** Makes each kind of run once, and diff and undo after the one that has changed something. */
async function each_run(
  program: readonly string[],
  { folder, home, reset, least }: {
    readonly folder: string;
    readonly home: () => string;
    readonly reset: string;
    readonly least: Least;
  },
): Promise<void> {
  for (const what of Object.keys(RUN_NAMES) as (keyof typeof RUN_NAMES)[]) {
    // What one run has saved of the folder, the next need not save again.
    const own = home();
    const hamr = (args: readonly string[], more?: Record<string, string>) =>
      measured([...program, ...args], folder, environment(own, more));
    const server = serve_model([...replies(what), say("All of it is done.")], { validate: false });
    const env = { HAMR_BASE_URL: server.url, HAMR_MODEL: "scripted" };
    least.add(what, await hamr(["run", "--quiet", "Go on."], env));
    await server.close();
    if (server.requests.length !== replies(what).length + 1) {
      throw new Error(`${what}: ${server.requests.length} requests in ${folder}`);
    }
    if (what === "edit") {
      least.add("diff", await hamr(["diff"]));
      least.add("undo", await hamr(["undo"]));
    }
    await measured(["bash", "-c", reset], folder);
  }
}

/** The least that each thing took. */
class Least {
  readonly #costs = new Map<string, Cost>();

  add(what: string, { cpu_ms, peak_mb }: Cost): void {
    const before = this.#costs.get(what) ?? { cpu_ms: Infinity, peak_mb: Infinity };
    this.#costs.set(what, {
      cpu_ms: Math.min(before.cpu_ms, cpu_ms),
      peak_mb: Math.min(before.peak_mb, peak_mb),
    });
  }

  cpu(what: string): number {
    return this.#costs.get(what)?.cpu_ms ?? NaN;
  }

  peak(what: string): number {
    return this.#costs.get(what)?.peak_mb ?? NaN;
  }
}

/** Adds up what a program and all that it waited for have used. In a function: a shell whose last act is a program becomes it, and tells nothing. */
const TIMED = `TIMEFORMAT='%3U %3S'
run() { (echo $BASHPID >&3; exec "$@" >/dev/null 2>&4 3>&- 4>&-); }
time run "$@"`;

/** Runs a program to its end; throws if that is not 0. */
async function measured(
  argv: readonly string[],
  cwd: string,
  env: Record<string, string> = environment(Deno.env.get("HOME") ?? "/"),
): Promise<Cost> {
  const said = Deno.makeTempFileSync();
  const script = `exec 3>${said}.pid 4>${said}\n${TIMED}`;
  const child = new Deno.Command("bash", {
    args: ["-c", script, "bash", ...argv],
    cwd,
    env,
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let peak_kb = 0;
  let over = false;
  const watching = (async () => {
    while (!over) {
      peak_kb = Math.max(peak_kb, peak_of(`${said}.pid`));
      await pause(10);
    }
  })();
  const { code, stderr } = await child.output();
  over = true;
  await watching;
  const errors = Deno.readTextFileSync(said);
  for (const file of [said, `${said}.pid`]) Deno.removeSync(file);
  if (code !== 0) throw new Error(`${argv.join(" ")}: exit ${code}\n${errors}`);
  const [user = NaN, system = NaN] = new TextDecoder().decode(stderr).trim().split(" ").map(Number);
  return { cpu_ms: (user + system) * 1000, peak_mb: peak_kb / 1024 };
}

function peak_of(pid_file: string): number {
  try {
    const pid = Deno.readTextFileSync(pid_file).trim();
    return Number(/^VmHWM:\s+(\d+)/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1] ?? 0);
  } catch {
    return 0; // Not started yet, or over.
  }
}
