/** Enforces the time limits of commands if hamr is gone: a process beside them, which sleeps until then. */
import { attempt } from "../../../config/attempt.ts";
import { NO_DEADLINE, REAPER, type RunMark } from "../../../sandbox/processes/run_mark.ts";

/**
 * In bash, which is there, without any program, as `--allow-run` may allow none; and without another process once it waits, as there
 * may be no room for one by then. It waits for the end of its input, which is hamr's end. Then it looks at every process of the
 * run, and ends the group of each whose deadline is over: SIGTERM, and two seconds later SIGKILL (the filter lets no other signal pass then). What has not come to name its deadline yet
 * is waited for, what has none is not.
 */
const SCRIPT = `
ulimit -Sx ${REAPER}
trap '' HUP INT TERM
exec {quiet}<> <(:) || exit
read -r
line='Max file locks +([0-9]+) +([0-9]+) '
while :; do
  read -r now _ < /proc/uptime
  now=\${now%.*} pause=0
  for folder in /proc/[0-9]*; do
    limits='' stat=''
    read -r -d '' limits < $folder/limits
    read -r -d '' stat < $folder/stat
    [[ $limits =~ $line && \${stat##*) } != [ZX]* ]] || continue
    soft=\${BASH_REMATCH[1]} hard=\${BASH_REMATCH[2]} fields=(\${stat##*) }) group=\${fields[2]}
    (( hard >= $1 && hard <= $2 && soft != ${REAPER} && soft != ${NO_DEADLINE} )) || continue
    if (( now < soft )); then left=$((soft - now))
    elif (( now < soft + 2 )); then left=2; kill -TERM -- -$group
    else left=1; kill -KILL -- -$group
    fi
    (( pause == 0 || left < pause )) && pause=$left
  done 2>/dev/null
  (( pause )) || exit
  read -r -t $((pause < 5 ? pause : 5)) -u $quiet
done`;

export class Reaper {
  #child: Deno.ChildProcess | null = null;

  constructor(
    private readonly mark: RunMark,
    /** What makes a program the leader of a session of its own, so that signals to hamr's group or terminal pass it by. */
    private readonly setsid: string | null,
  ) {}

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Sees to it that it is there: a command may have ended it. Where none can be started the limits hold only as long as hamr lives. */
  start(bash: string): void {
    if (this.#child !== null) return;
    const leader = this.setsid === null ? [] : [this.setsid];
    const [program = bash, ...args] = [...leader, bash, "-c", 'eval "$REAPER"', "hamr-reaper"];
    const { first, last } = this.mark;
    // No process can be started, and so no command either; the next one tries again.
    attempt(() => {
      const child = new Deno.Command(program, {
        args: [...args, String(first), String(last)],
        // No folder is kept from being taken away.
        cwd: "/",
        env: { REAPER: SCRIPT, LC_ALL: "C" },
        clearEnv: true,
        stdin: "piped",
        stdout: "null",
        stderr: "null",
        detached: this.setsid === null,
      }).spawn();
      child.unref();
      this.#child = child;
      void child.status.then(() => this.#child = null);
    });
  }
}
