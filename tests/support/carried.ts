/** What the processes of one run carry, from outside: the hard limit of file locks in /proc. Linux only. */

/** The soft and the hard limit of file locks of a process; none where there is no such process. */
function locks_of(pid: number | string): readonly string[] {
  try {
    const limits = Deno.readTextFileSync(`/proc/${pid}/limits`);
    return /^Max file locks +(\S+) +(\S+)/m.exec(limits)?.slice(1) ?? [];
  } catch {
    return [];
  }
}

/** What this process and all it starts carry; null if it carries nothing (yet). */
export function carried_by(pid: number): string | null {
  const [, hard = ""] = locks_of(pid);
  return /^\d{19}$/.test(hard) ? hard : null;
}

/** The processes of a run that are alive, and how many of them are its commands' and not what watches over them. */
export function left_of(carried: string): { readonly all: number; readonly commands: number } {
  let all = 0, commands = 0;
  for (const { name } of Deno.readDirSync("/proc")) {
    const [soft, hard] = /^\d+$/.test(name) ? locks_of(name) : [];
    if (hard !== carried) continue;
    try {
      if (/^State:\s+[ZX]/m.test(Deno.readTextFileSync(`/proc/${name}/status`))) continue;
    } catch {
      continue;
    }
    all++;
    if (soft !== "0") commands++;
  }
  return { all, commands };
}
