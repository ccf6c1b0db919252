/**
 * `deno task bench peers`: other agents and hamr, one after the other on the same scripted server. Installs what is missing, and then
 * measures in a network that has loopback alone, so that nobody looks for updates or reports anything meanwhile.
 */
import { fileURLToPath } from "node:url";
import { installed, PEERS } from "./agents.ts";

/** What `measure.ts` is told, in its one argument. */
export interface Plan {
  readonly scratch: string;
  /** hamr's program, and what it is called. */
  readonly program: readonly string[];
  readonly version: string;
  /** The others, by name. */
  readonly names: readonly string[];
  readonly rounds: number;
}

/** Prints the tables; gives the exit code, which is 1 where an agent could not be installed. */
export async function peers(
  program: readonly string[],
  { version, rounds }: { readonly version: string; readonly rounds: number },
): Promise<number> {
  const { XDG_CACHE_HOME, HOME } = Deno.env.toObject();
  const scratch = `${XDG_CACHE_HOME ?? `${HOME}/.cache`}/hamr-peers`;
  const names: string[] = [];
  for (const peer of PEERS) {
    try {
      await installed(peer, scratch);
      names.push(peer.name);
    } catch (error) {
      tell(
        `not measured: ${peer.name} ${peer.version}: ${
          error instanceof Error ? error.message : error
        }`,
      );
    }
  }
  tell(`in ${scratch}: ${names.join(", ")}`);
  const plan: Plan = { scratch, program, version, names, rounds };
  const measure = fileURLToPath(new URL("./measure.ts", import.meta.url));
  const args = ["run", "-A", "--no-check", measure, JSON.stringify(plan)];
  const apart = ["-r", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
  const root = Deno.uid() === 0 ? apart.slice(1) : apart;
  const alone = await new Deno.Command("unshare", { args: [...root, "true"], stderr: "null" })
    .output().then(({ success }) => success, () => false);
  if (!alone) {
    tell("this machine gives no network of its own: what an agent asks others is in its times");
  }
  const command = alone ? "unshare" : Deno.execPath();
  const env = { DENO_NO_UPDATE_CHECK: "1" };
  const { code } = await new Deno.Command(command, {
    args: alone ? [...root, Deno.execPath(), ...args] : args,
    env,
  }).spawn().status;
  return code === 0 && names.length < PEERS.length ? 1 : code;
}

function tell(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}
