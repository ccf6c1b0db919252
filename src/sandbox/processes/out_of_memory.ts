/** If memory runs out, the kernel ends what commands started and not hamr: otherwise many small processes would end it, and with it what it puts back. */
import { at_end } from "../../config/attempt.ts";
import { AT_FDCWD, O_CLOEXEC, O_WRONLY } from "../kernel/fcntl.ts";
import type { Libc } from "../kernel/libc.ts";
import { read_text } from "../kernel/proc_fs.ts";

const FILE = "/proc/self/oom_score_adj";
/** As if it had half of the memory besides (proc_pid_oom_score_adj(5)): hamr has 0.1 to 0.25 GB. */
const SOONER = 500;
const HIGHEST = 1000;

/** This thread's: it can be written, though the thread is restricted, for as long as it is open. */
let score: { readonly libc: Libc; readonly file: number; readonly own: number } | null = null;

/** To be called before this thread is restricted. Nothing changes where it can't be opened. */
export function open_score(libc: Libc | null): void {
  if (libc === null) return;
  const own = Number(read_text(libc, FILE) ?? "");
  const file = libc.call("openat", [AT_FDCWD, FILE, O_WRONLY | O_CLOEXEC]);
  if (file >= 0) score = { libc, file, own };
}

export function close_score(): void {
  score?.libc.call("close", [score.file]);
  score = null;
}

/** Starts a process, which takes its starter's score on. It can't lower it: commands write nothing in `/proc`. */
export function ended_first<Started>(start: () => Started): Started {
  set_score(SOONER);
  using _ = at_end(() => set_score(0));
  return start();
}

function set_score(more: number): void {
  if (score === null) return;
  const text = new TextEncoder().encode(`${Math.min(score.own + more, HIGHEST)}`);
  score.libc.call("write", [score.file, text, text.length]);
}
