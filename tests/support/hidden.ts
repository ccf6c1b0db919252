/** Whether the machine shows nobody the processes of others, nor those that can't be traced, as `hamr` is (`hidepid`, proc(5)). */
export function hides_processes(): boolean {
  return /^\S+ \/proc proc \S*hidepid=(?!0|off)/m.test(Deno.readTextFileSync("/proc/mounts"));
}

/** Whether that keeps an ordinary user from seeing what a test has to look at: the program itself. */
export const HIDDEN = Deno.build.os === "linux" && Deno.uid() !== 0 && hides_processes();
