import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { KEYS } from "../../config/keys.ts";
import { parse, type Parsed, wants_result } from "./args.ts";
import { COMMANDS } from "./commands.ts";
import { FLAG_DEFAULTS } from "../../app/flags.ts";
import { type Flag } from "./flag.ts";
import { FLAGS } from "./flags.ts";
import { UsageError } from "../../config/error.ts";

/** A value that a flag takes, as text and as it is read. */
function sample(flag: Flag): [text: string, value: unknown] {
  const { reads } = flag;
  const word = reads?.values?.find((value) => value !== "" && value !== "text");
  if (flag.takes === "optional" && word === undefined && reads?.kind !== "boolean") {
    return ["a,b", ["a", "b"]];
  }
  switch (reads?.kind) {
    case "integer":
      return ["3", 3];
    case "number":
      return ["1.5", 1.5];
    case "boolean":
      return ["false", false];
    case "enum":
    case "list_or_word":
      return [word ?? "", word];
    case "list":
      return flag.name === "fallback" ? ["a/B,c/D/e", ["a/B", "c/D/e"]] : ["A,B", ["A", "B"]];
    default:
      if (flag.repeatable) return ["a,b", ["a,b"]];
      if (flag.name === "session-id") return [SOME_UUID, SOME_UUID];
      return flag.name === "base-url" ? ["http://x/v1", "http://x/v1"] : ["word", "word"];
  }
}

const SOME_UUID = "0f8fad5b-d9cb-469f-a165-70867728950e";

/** What a parse has made of a flag. */
function result_of(flag: Flag, parsed: Parsed): unknown {
  const { into } = flag;
  if ("page" in into) return parsed.command;
  if ("flag" in into) return parsed.flags[into.flag];
  return parsed.overrides.find(({ key }) => key === into.setting)?.value;
}

Deno.test("parse() reads every flag, in every spelling, for every command that takes it", () => {
  for (const flag of FLAGS) {
    for (const command of flag.commands) {
      const words = command.split(" ");
      const operand = command === "completions"
        ? ["bash"]
        : command === "config import"
        ? ["codex"]
        : [];
      const given = (...args: string[]) => result_of(flag, parse([...words, ...args, ...operand]));
      const names = [`--${flag.name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])];
      for (const name of names) {
        if (flag.takes !== "value") {
          const expected = "page" in flag.into ? flag.into.page : flag.sets;
          deepStrictEqual(given(name), expected, `${command} ${name}`);
          const before = result_of(flag, parse([name, ...words, ...operand]));
          deepStrictEqual(before, expected, `${name} ${command}`);
        }
        if (flag.takes === "none") continue;
        const [text, value] = sample(flag);
        deepStrictEqual(given(`${name}=${text}`), value, `${command} ${name}=${text}`);
        if (flag.takes === "value") {
          deepStrictEqual(given(name, text), value, `${command} ${name} ${text}`);
        }
      }
    }
  }
});

Deno.test("parse() refuses every flag where it does not belong, and every value it can't take", () => {
  for (const flag of FLAGS) {
    for (const { name: command } of COMMANDS) {
      if (FLAGS.some(({ name, commands }) => name === flag.name && commands.includes(command))) {
        continue;
      }
      const value = flag.takes === "value" ? `=${sample(flag)[0]}` : "";
      match(refusal([...command.split(" "), `--${flag.name}${value}`]), /is not a flag of hamr/);
    }
    const [home = ""] = flag.commands;
    const words = home.split(" ");
    if (flag.takes === "value") {
      const expected = new RegExp(
        `^--${flag.name} needs a value: --${flag.name} ${flag.value?.[0]}`,
      );
      match(refusal([...words, `--${flag.name}`]), expected);
      match(refusal([...words, `--${flag.name}`, "--json"]), expected);
      match(refusal([...words, `--${flag.name}=`]), expected);
    } else if (flag.takes === "none" && !("page" in flag.into)) {
      match(refusal([...words, `--${flag.name}=x`]), /takes no value, but got "x"$/);
    }
  }
});

Deno.test("FLAGS that are settings name one, with its own range and words", () => {
  for (const { name, into, reads } of FLAGS) {
    if (!("setting" in into)) continue;
    const key = KEYS.get(into.setting);
    if (name === "allow-net") {
      // It takes less than its setting: "all" and "none" have spellings of their own.
      strictEqual(reads?.values?.every((value) => key?.values?.includes(value)), true);
    } else {
      strictEqual(reads, key, name);
    }
  }
});

Deno.test("every flag that the row of a command names is one", () => {
  for (const { name, flags = [] } of COMMANDS) {
    for (const flag of flags) {
      ok(FLAGS.some((known) => known.name === flag), `hamr ${name}: --${flag}`);
    }
  }
});

Deno.test("FLAGS has no name twice for a command", () => {
  for (const command of COMMANDS) {
    const names = FLAGS.filter(({ commands }) => commands.includes(command.name))
      .flatMap(({ name, short }) => short === undefined ? [name] : [name, short]);
    strictEqual(new Set(names).size, names.length, command.name);
  }
});

Deno.test("parse() takes arguments apart", () => {
  const run = (...argv: string[]) => {
    const { command, operands, flags, overrides } = parse(["run", ...argv]);
    const changed = Object.fromEntries(
      Object.entries(flags).filter(([name, value]) =>
        FLAG_DEFAULTS[name as keyof typeof FLAG_DEFAULTS] !== value
      ),
    );
    const settings = Object.fromEntries(overrides.map(({ key, value }) => [key, value]));
    return [command, operands, { ...changed, ...settings }];
  };
  const cases: [string[], string[], Record<string, unknown>][] = [
    [[], [], {}],
    [["task"], ["task"], {}],
    [["task", "-"], ["task", "-"], {}],
    [["-"], ["-"], {}],
    [[""], [""], {}],
    [["--", "--json"], ["--json"], {}],
    [["--json", "--", "-h", "-"], ["-h", "-"], { output: "json" }],
    [["--json", "--output", "json"], [], { output: "json" }],
    [["--model", "a", "--model=b"], [], { "provider.model": "b" }],
    [["--model", "-"], [], { "provider.model": "-" }],
    [["--model=--json"], [], { "provider.model": "--json" }],
    [["--verify=-x=1"], [], { "verify.command": "-x=1", "agent.mode": "verify" }],
    [["--verify", "a b"], [], { "verify.command": "a b", "agent.mode": "verify" }],
    [["--mode", "verify", "--verify", "x"], [], {
      "verify.command": "x",
      "agent.mode": "verify",
    }],
    [["--allow-write", "task"], ["task"], { "permissions.write": "all" }],
    [["--allow-write=a", "--allow-write=b,c"], [], { "permissions.write": ["a", "b", "c"] }],
    [["--allow-write=a", "--allow-write"], [], { "permissions.write": "all" }],
    [["--allow-write", "--allow-write=a"], [], { "permissions.write": "all" }],
    [["--allow-env", "A", "--allow-env=B"], [], { "permissions.env": ["A", "B"] }],
    [["--allow-read"], [], { "permissions.read": "all" }],
    [["--allow-read=a", "--allow-read=b"], [], { "permissions.read": ["a", "b"] }],
    [["--allow-run=git,npm"], [], { "permissions.run": ["git", "npm"] }],
    [["--image", "a,b.png", "--image=c.jpg"], [], { images: ["a,b.png", "c.jpg"] }],
    [["--deny-read", "a", "--deny-read=b,c"], [], { deny_read: ["a", "b", "c"] }],
    [["--allow-net"], [], { "permissions.net": "all" }],
    [["--allow-net=loopback"], [], { "permissions.net": "loopback" }],
    [["--allow-net=a.com,*.b.com:80"], [], { "permissions.net": ["a.com", "*.b.com:80"] }],
    [["--deny-net"], [], { "permissions.net": "none" }],
    [["--confirm", "all"], [], { "agent.confirm": "all" }],
    [["--yolo"], [], { "agent.confirm": "never" }],
    [["--yolo", "--confirm=never"], [], { "agent.confirm": "never" }],
    [["--dry-run"], [], { dry_run: true }],
    [["--no-stream"], [], { "agent.stream": false }],
    [["-C/tmp"], [], { directory: "/tmp" }],
    [["-C=/tmp"], [], { directory: "/tmp" }],
    [["-C", "-"], [], { directory: "-" }],
    [["-v"], [], { verbose: true }],
    [["-vvv"], [], { very_verbose: true }],
    [["-v", "-v"], [], { very_verbose: true }],
    [["-v", "-q", "-vv", "-v"], [], { very_verbose: true, quiet: true }],
    [["--exit-code-on-partial", "false"], [], { exit_code_on_partial: false }],
    [["--sandbox", "off", "--timeout", ".5"], [], { sandbox: "off", "agent.timeout_s": 0.5 }],
  ];
  for (const [argv, operands, rest] of cases) {
    deepStrictEqual(run(...argv), ["run", operands, rest], argv.join(" "));
  }
});

Deno.test("parse() finds the command", () => {
  const cases: [string[], string, string[]][] = [
    [["config"], "config show", []],
    [["memory"], "memory list", []],
    [["memory", "rm", "1", "g2"], "memory rm", ["1", "g2"]],
    [["config", "path"], "config path", []],
    [["-C", "x", "config", "init", "--config", "f"], "!", []],
    [["--json", "run", "x"], "run", ["x"]],
    [["help"], "help", []],
    [["help", "run"], "help", ["run"]],
    [["help", "ci"], "help", ["ci"]],
    [["help", "config", "show"], "help", ["config", "show"]],
    [["run", "--help"], "help", ["run"]],
    [["run", "x", "-h", "--version"], "help", ["run"]],
    [["--help"], "help", []],
    [["-h"], "help", []],
    [["run", "--bogus", "--help"], "help", ["run"]],
    [["bogus", "--help"], "help", []],
    [["--version"], "version", []],
    [["-V"], "version", []],
    [["run", "-V"], "version", []],
    [["completions", "zsh"], "completions", ["zsh"]],
    [["doctor"], "doctor", []],
    [["demo"], "demo", []],
  ];
  for (const [argv, command, operands] of cases) {
    if (command === "!") {
      match(refusal(argv), /^-C is not a flag of hamr config init/);
      continue;
    }
    const parsed = parse(argv);
    deepStrictEqual([parsed.command, parsed.operands], [command, operands], argv.join(" "));
  }
});

Deno.test("on a terminal a task in quotes begins a conversation, and no command is taken for one", () => {
  const { command, operands } = parse(["fix the bug"], "chat");
  deepStrictEqual([command, operands], ["chat", ["fix the bug"]]);
  deepStrictEqual(parse(["-m", "x", "fix the bug"], "chat").operands, ["fix the bug"]);
  for (const argv of [["config show"], ["rnu"], ["fix", "the", "bug"], ["sessions  list"]]) {
    throws(() => parse(argv, "chat"), /^UsageError: (?:no|unknown) command/);
  }
});

Deno.test("parse() says in one line what is wrong and what was meant", () => {
  const cases: [string[], RegExp][] = [
    [["rnu", "x"], /^unknown command "rnu"; did you mean run\?$/],
    [
      ["fix the bug"],
      /^unknown command "fix the bug"; did you mean hamr run "fix the bug", or hamr chat\?$/,
    ],
    [["fix", "the", "bug"], /^unknown command "fix"; did you mean hamr run "fix the bug", or/],
    [["zzzzzz"], /^unknown command "zzzzzz"; see "hamr --help"$/],
    [
      ["init"],
      /^unknown command "init"; in hamr: hamr config init for a file of settings; AGENTS.md/,
    ],
    [["--", "run"], /^no command/],
    [["--json"], /^no command: hamr run "task", or hamr alone in a terminal; see "hamr --help"$/],
    [["-"], /^unknown command "-"/],
    [["config", "shwo"], /^unknown command "config shwo"; did you mean config show\?$/],
    [
      ["config", "zzzz"],
      /use config path, config show, config init, config trust or config import$/,
    ],
    [["config", "path", "x"], /^config path takes nothing, not "x"$/],
    [["completions"], /^completions needs a SHELL: bash, zsh, fish or powershell$/],
    [["completions", "bsh"], /^completions: unknown "bsh"; use bash, zsh, fish or powershell$/],
    [["run", "--modle", "x"], /^unknown flag --modle; did you mean --model\?$/],
    [["run", "--modle=x"], /^unknown flag --modle; did you mean --model\?$/],
    [["run", "--max_steps=1"], /^unknown flag --max_steps; did you mean --max-steps\?$/],
    [["run", "--JSON"], /^unknown flag --JSON; did you mean --json\?$/],
    [["run", "-json"], /^unknown flag -json; did you mean --json\?$/],
    [["run", "-M", "x"], /^unknown flag -M; did you mean -m\?$/],
    [["run", "--max-turns", "3"], /^unknown flag --max-turns; in hamr: --max-steps$/],
    [["run", "--cd=x"], /^unknown flag --cd; in hamr: -C$/],
    [["run", "-p", "x"], /^unknown flag -p; in hamr: hamr run "task" prints its answer anyway/],
    [["run", "--append-system-prompt", "x"], /; in hamr: --system$/],
    [["run", "--approval-mode=plan", "x"], /; in hamr: --mode plan, --confirm or --yolo$/],
    [["run", "--strict-config", "x"], /; in hamr: an unknown setting is an error anyway/],
    [["chat", "--exclude-tools", "x"], /; in hamr: --tools, with those that remain$/],
    [["stats"], /^unknown command "stats"; in hamr: hamr report ID/],
    [["ls"], /in hamr: hamr sessions$/],
    [["uninstall"], /in hamr: remove the program, and the folders that hamr config path names$/],
    [["run", "- fix a\n- fix b"], /^unknown flag .*; a task that begins with "-" follows --/],
    [["resume", "--all"], /; in hamr resume: --resume ID, or hamr sessions list --all$/],
    [["memory", "rm", "--all"], /^--all is not a flag .* or hamr sessions rm$/],
    [["run", "-x"], /^unknown flag -x; see "hamr run --help"$/],
    [["sandbox", "ls", "-la"], /^unknown flag -la; .* follow --: hamr sandbox -- ls -la$/],
    [["sandbox", "--nope", "--", "ls"], /^unknown flag --nope; see "hamr sandbox --help"$/],
    [["run", "-vq"], /^unknown flag -vq; /],
    [["run", "--frobnicate"], /^unknown flag --frobnicate; see "hamr run --help"$/],
    [["--frobnicate"], /^unknown flag --frobnicate; see "hamr --help"$/],
    [
      ["run", "--fallback", "gpt-5"],
      /^--fallback: must be a list of PROVIDER\/MODEL, not "gpt-5"$/,
    ],
    [["run", "--=x"], /^unknown flag --; /],
    [["run", "--a\nb"], /^unknown flag --a\\nb; /],
    [
      ["sandbox", "--json"],
      /^--json is not a flag of hamr sandbox; it belongs to hamr run, hamr resume, hamr review or other commands$/,
    ],
    [["run", "--max-steps", "ten"], /^--max-steps: must be a whole number, 0 or more, not "ten"$/],
    [["run", "--max-steps", "-1"], /^--max-steps: must be a whole number, 0 or more, not "-1"$/],
    [["run", "--temperature", "9"], /^--temperature: must be a number from 0 to 2, not "9"$/],
    [["run", "--temperature", "-.5"], /^--temperature: must be .* not "-.5"$/],
    [
      ["run", "--timeout", "1d"],
      /^--timeout: must be a number of seconds from 0 to 2147483, as 90, 90s, 10m or 1h, not "1d"$/,
    ],
    [
      ["run", "--mode", "pathc"],
      /auto, ask, plan, patch or verify, not "pathc"; did you mean patch\?$/,
    ],
    [["run", "--api-mode", "telnet"], /^--api-mode: must be chat_completions.* or \w+, not /],
    [["run", "--output", "xml"], /^--output: must be text, json or jsonl, not "xml"$/],
    [["run", "--sandbox", "on"], /^--sandbox: must be auto or off, not "on"/],
    [
      ["run", "--base-url", "localhost:1"],
      /^--base-url: must be a valid address that starts with http/,
    ],
    [["run", "--exit-code-on-partial", "no"], /must be true or false, not "no"$/],
    [["run", "--allow-net=a.com,https://b.com"], /^--allow-net: .* not "https:\/\/b\.com"$/],
    [["run", "--allow-net=example"], /^--allow-net: .* not "example"$/],
    [["run", "--allow-net=lopback"], /did you mean loopback\?$/],
    [["run", "--allow-net="], /^--allow-net needs a value: --allow-net=loopback$/],
    [["run", "--deny-net=x"], /^--deny-net takes no value/],
    [["run", "--deny-read="], /^--deny-read needs a value: --deny-read P,…$/],
    [["run", "--deny-read=a,,b"], /^--deny-read: must be a list of paths, not "a,,b"$/],
    [
      ["run", "--deny-net", "--allow-net"],
      /^--deny-net and --allow-net contradict each other; give only one$/,
    ],
    [["run", "--allow-net=loopback", "--deny-net"], /^--allow-net and --deny-net contradict/],
    [
      ["run", "--confirm", "always"],
      /^--confirm: must be refuse, sensitive, all or never, not "always"/,
    ],
    [["run", "--confirm", "all", "--yolo"], /^--confirm and --yolo contradict each other/],
    [["run", "--allow-write="], /^--allow-write needs a value: --allow-write=P,…$/],
    [["run", "--allow-env", "A=B"], /^--allow-env: must be a list of names/],
    [["run", "--verify", "-x"], /; for a value that begins with "-" write --verify=-x$/],
    [["chat", "--resume"], /^--resume needs a value: --resume ID; hamr chat \/resume picks one$/],
    [["run", "--verify", "--"], /^--verify needs a value: --verify CMD$/],
    [["run", "--verify", " \n", "x"], /^--verify needs a value: --verify CMD$/],
    [["run", "--verify", "x", "--mode", "ask"], /^--verify and --mode ask contradict each other/],
    [["run", "--mode=patch", "--verify=x"], /^--verify and --mode patch contradict/],
    [["run", "--json", "--output", "text"], /^--json and --output contradict each other/],
    [["run", "-c", "--resume", "a", "x"], /^-c and --resume contradict each other; give only one$/],
    [["chat", "--resume=a", "--fork=a"], /^--resume and --fork contradict each other/],
    [
      ["run", "fix", "the", "bug"],
      /^run takes one task; put it in quotes: hamr run "fix the bug"$/,
    ],
    [
      ["run", "--verify", "npm", "test", "fix"],
      /^run takes one task; put it in quotes, and the command of --verify, too, which is "npm" now$/,
    ],
    [
      ["run", "--allow-write", "/data", "fix it"],
      /^run takes one task; put it in quotes, and a value of --allow-write after a "=": --allow-write=P,…$/,
    ],
    [["run", "--allow-net=loopback", "--read-only", "fix", "it"], /in quotes: hamr run "fix it"$/],
    [["run", "--verify", "npm test", "fix", "it"], /in quotes: hamr run "fix it"$/],
    [["run", "-", "-", "-"], /^run takes "TASK" \[-\], not "-"$/],
  ];
  for (const [argv, expected] of cases) match(refusal(argv), expected, argv.join(" "));
});

Deno.test("wants_result() is what a reader of JSON is owed even after a mistake", () => {
  const cases: [string[], "json" | "jsonl" | null][] = [
    [["run", "--json", "--bogus"], "json"],
    [["run", "--bogus", "--output", "jsonl"], "jsonl"],
    [["run", "--output=jsonl", "--max-steps=x"], "jsonl"],
    [["--json", "run", "--bogus"], "json"],
    [["run", "--model", "--json"], "json"],
    [["demo", "--json", "x"], "json"],
    [["run", "--output", "text"], null],
    [["run", "--output"], null],
    [["run", "--output", "xml"], null],
    [["run", "--json", "--output=xml"], "json"],
    [["run", "--json", "--output"], "json"],
    [["run", "--json", "--output", "text"], "json"],
    [["run", "--output", "text", "--json"], "json"],
    [["run", "--output=json", "--output=text", "--bogus"], null],
    [["run", "--json", "--output-schema=x", "--bogus"], "json"],
    [["run", "--bogus"], null],
    [["run", "--", "--json"], null],
    [["sandbox", "--json"], null],
    [["rnu", "--json"], null],
    [[], null],
  ];
  for (const [argv, expected] of cases) strictEqual(wants_result(argv), expected, argv.join(" "));
});

function refusal(argv: string[]): string {
  let message = "";
  throws(() => parse(argv), (error) => {
    if (!(error instanceof UsageError)) throw error;
    message = error.message;
    return true;
  }, argv.join(" "));
  strictEqual(/\p{Cc}/u.test(message), false, message);
  return message;
}
