/** `hamr demo`: the whole program on a small broken project. Only the model is scripted, and the demo says so. */
import { temporary_folder } from "../app/command_folders.ts";
import { load } from "../config/load.ts";
import { shell_script_model } from "./demo_model.ts";
import type { Parsed } from "./args/args.ts";
import type { Io } from "./base/io.ts";
import { ask_endpoint } from "../app/endpoint.ts";
import { run_job } from "./job.ts";

const FILES: Readonly<Record<string, string>> = {
  "sum.sh": `#!/bin/bash
# Prints the sum of its arguments.
total=0
for number in "$@"; do
  total=$((total - number))
done
echo "$total"
`,
  "test.sh": `#!/bin/bash
# Fails where sum.sh is wrong.
got=$(bash sum.sh 2 3 4)
if [ "$got" = 9 ]; then
  echo "ok: 2 + 3 + 4 = $got"
else
  echo "FAIL: 2 + 3 + 4 gave $got, expected 9"
  exit 1
fi
`,
};

const TASK = "The test fails. Find out why and fix it.";
const VERIFY = "bash test.sh";

/** Makes the project, plays the model, runs the task; returns its exit code. */
export async function demo(parsed: Parsed, io: Io): Promise<number> {
  const folder = temporary_folder("hamr-demo-");
  const project = `${folder}/project`;
  Deno.mkdirSync(project);
  for (const [name, text] of Object.entries(FILES)) {
    Deno.writeTextFileSync(`${project}/${name}`, text);
  }
  const model = shell_script_model();
  if (!parsed.flags.quiet) {
    io.err(`A small project with a failing test is in ${project}
The model is scripted and served by hamr itself on ${model.url}; loop, tools, sandbox and
verification are real.

$ hamr run -C ${project} --verify "${VERIFY}" "${TASK}"
`);
  }
  // Nobody's settings but the demo's own: it must work the same for everyone.
  const environ = { ...io.environ(), HAMR_HOME: `${folder}/home` };
  const own = Object.fromEntries(
    Object.entries(environ).filter(([name]) => name === "HAMR_HOME" || !name.startsWith("HAMR_")),
  );
  const where = "demo";
  const place = await load({
    workspace: project,
    environ: own,
    overrides: [
      { key: "provider.base_url", value: `${model.url}/v1`, where },
      { key: "provider.model", value: "scripted", where },
      { key: "provider.context_window", value: 8192, where },
      { key: "agent.mode", value: "verify", where },
      { key: "verify.command", value: VERIFY, where },
      ...parsed.overrides,
    ],
  });
  const own_io: Io = { ...io, environ: () => own, env: (name) => own[name] || undefined };
  const own_place = { ...place, workspace: project, environ: own };
  const endpoint = ask_endpoint(own_place);
  const { flags, overrides } = parsed;
  const job = { task: TASK, place: own_place, flags, overrides, io: own_io, endpoint };
  const code = await run_job(job);
  await model.close();
  if (!parsed.flags.quiet) {
    io.err(`
That was the real program with a scripted model. With a real model, in your own project:
  Ollama:     ollama pull qwen2.5-coder:7b  then  hamr run "your task"
  llama.cpp:  llama-server -m MODEL.gguf --jinja -c 16384  then the same
  hosted:     HAMR_API_KEY=… hamr run --base-url URL --model NAME "your task"
The ${code === 0 ? "fixed project" : "project"} is in ${project}
`);
  }
  return code;
}
