/** What a command costs with nothing around it: `spawn.ts N` prints the milliseconds of each, as JSON. */
const worker = new Worker(new URL("./spawn_worker.ts", import.meta.url), { type: "module" });
const times: number[] = [];
for (let n = 0; n < Number(Deno.args[0]); n++) {
  const began = performance.now();
  const answer = new Promise((resolve) => worker.onmessage = resolve);
  worker.postMessage(`echo ${n}`);
  await answer;
  times.push(performance.now() - began);
}
worker.terminate();
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(times)));
