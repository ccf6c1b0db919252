/** Raw system calls made inside the sandbox: by a C program where there is a compiler, else by Python. */
import { type Arch, type Syscall, syscall_number } from "../../../src/sandbox/kernel/syscalls.ts";
import type { Step, StepResult } from "./job.ts";
import { support_file } from "./servers.ts";
import { installed, type World } from "./world.ts";

/** A call to try: a name or a number, its arguments (as in raw.c), and the error number that it must fail with. */
export interface RawCall {
  readonly label: string;
  readonly call: Syscall | number;
  readonly args?: readonly (string | number | bigint)[];
  /** One of these, or null: it must succeed. */
  readonly errno: readonly number[] | null;
}

/** Whether raw calls can be made on this machine. */
export const can_call_raw = installed("gcc") || installed("python3");
/** Whether C programs can be made. */
export const can_compile = installed("gcc");

/** Makes the program that makes the calls; what it is started with. */
export function raw_program(world: World): string[] {
  return can_compile ? [compiled(world, "raw")] : ["python3", support_file("raw.py")];
}

/** Makes a program of a C file beside this one, outside the workspace. */
export function compiled(world: World, name: string): string {
  const program = `${world.root}/${name}`;
  const { success, stderr } = new Deno.Command("gcc", {
    args: ["-O1", "-pthread", "-o", program, support_file(`${name}.c`)],
  }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return program;
}

/** A step that makes the calls; `{PID}` and the like may be in their arguments. */
export function raw_step(
  name: string,
  calls: readonly RawCall[],
  program: readonly string[],
): Step {
  const lines = calls.map(({ label, call, args }) => {
    const number = typeof call === "number" ? call : syscall_number(call, Deno.build.arch as Arch);
    return [label, number, ...(args ?? [])].join(" ");
  });
  // The list goes through a file: the program's own input is closed.
  const script = `cat > calls.txt <<'END'\n${lines.join("\n")}\nEND\nexec ${
    program.join(" ")
  } calls.txt`;
  return { kind: "run", name, argv: ["bash", "-c", script] };
}

/** The calls that did not end as they must, as `label: result errno`. */
export function surprises(result: StepResult, calls: readonly RawCall[]): string[] {
  const came = new Map<string, readonly [number, number]>();
  for (const line of (result.stdout ?? "").split("\n")) {
    const [label, value, errno] = line.split(" ");
    if (label) came.set(label, [Number(value), Number(errno)]);
  }
  return calls.filter(({ label, errno }) => {
    const [value, got] = came.get(label) ?? [NaN, NaN];
    return errno === null ? !(value >= 0) : value !== -1 || !errno.includes(got);
  }).map(({ label }) => `${label}: ${came.get(label)?.join(" ") ?? result.stderr}`);
}
