/** Whether a program is in `PATH`. */
export function installed(program: string): boolean {
  return new Deno.Command("/bin/sh", {
    args: ["-c", `command -v ${program}`],
    stdout: "null",
    stderr: "null",
  }).outputSync().success;
}
