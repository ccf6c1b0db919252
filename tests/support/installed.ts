/** Whether a program is in `PATH`; default: that of the tests. */
export function installed(
  program: string,
  path = Deno.env.get("PATH") ?? "/usr/bin:/bin",
): boolean {
  return new Deno.Command("/bin/sh", {
    args: ["-c", `command -v ${program}`],
    env: { PATH: path },
    clearEnv: true,
    stdout: "null",
    stderr: "null",
  }).outputSync().success;
}
