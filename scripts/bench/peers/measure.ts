/** Measures what is installed; started by `mod.ts`. */
import { type Agent, installed, ours, PEERS } from "./agents.ts";
import { drive } from "./drive.ts";
import type { Plan } from "./mod.ts";
import { fault_table, fault_words, time_table, type Times } from "./tables.ts";

const FAULTS = ["500", "refused", "empty", "loop"] as const;

const plan: Plan = JSON.parse(Deno.args[0] ?? "");
const agents: Agent[] = [ours(plan.program, plan.version)];
for (const peer of PEERS) {
  if (plan.names.includes(peer.name)) agents.push(await installed(peer, plan.scratch));
}
const print = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
const tell = (text: string) => Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));

const loads = [load()];
const times: Times[] = agents.map(({ name, version }) => ({ name, version, runs: [] }));
// The first round is not counted: it fills caches.
for (let round = 0; round <= plan.rounds; round++) {
  for (const [n, agent] of agents.entries()) {
    const run = await drive(agent, "steps");
    if (run.code !== 0) tell(`${agent.name}: exit code ${run.code}: ${run.printed}`);
    if (round > 0) times[n]?.runs.push(run);
  }
  tell(`round ${round} of ${plan.rounds}`);
}
loads.push(load());
const faults: string[][] = [];
for (const agent of agents) {
  const words = FAULTS.map(async (fault) => fault_words(await drive(agent, fault)));
  faults.push([agent.name, ...await Promise.all(words)]);
  tell(`faults: ${agent.name}`);
}
const cores = navigator.hardwareConcurrency;
print(
  `${plan.rounds} round${
    plan.rounds === 1 ? "" : "s"
  }, one after the other; ${cores} cores, load before and after: ${loads.join(", ")}\n`,
);
print(time_table(times));
print("");
print(fault_table(["", ...FAULTS], faults));

function load(): string {
  return Deno.loadavg()[0]?.toFixed(1) ?? "unknown";
}
