/** Lies without a command, judged in this process by the gates alone: what such a run is judged by is what it read and wrote, and its answer. */
import assert from "node:assert/strict";
import { type Did, edit, failed, read } from "../../src/gates/_did.ts";
import { played } from "../../src/gates/_played.ts";
import { type Bench, bench } from "../../src/tools/_testing.ts";
import type { LedgerRow } from "../../src/tools/ledger.ts";
import type { Call, Reply } from "../support/model_server.ts";
import type { Transcript } from "./transcript.ts";

const READS_AND_WRITES = ["read", "edit", "write"];

/** Whether the gates alone say how it ends. */
export function is_for_gates({ replies, if_asked = [], ends, ...more }: Transcript): boolean {
  const calls = [...replies, ...if_asked].flatMap(({ calls = [] }) => calls);
  const alone = [more.flags, more.env, more.steers, more.meanwhile, more.extra];
  return alone.every((setting) => setting === undefined) &&
    (more.setup === undefined || calls.length === 0) &&
    calls.every(({ name, args }) =>
      READS_AND_WRITES.includes(name) && typeof args === "object" && args["search"] === undefined
    ) &&
    /contract_unsatisfied|not_done/.test(ends[1]);
}

/** Judges it: the calls are made by the tools, on its files. */
export function judge({ files = {}, task, replies, if_asked, ends }: Transcript): Promise<void> {
  return bench({ files: files as Readonly<Record<string, string | Uint8Array>> }, async (b) => {
    const did = await all_done(b, replies);
    const after = if_asked === undefined
      ? {}
      : { then: { did: await all_done(b, if_asked), says: if_asked.at(-1)?.text ?? "" } };
    const seen = played({ did, says: replies.at(-1)?.text ?? "", task, ...after });
    assert.ok(ends[1].split("|").includes(seen.ends), `expected ${ends}, seen ${seen.ends}`);
    assert.equal(seen.asks, 1, "requests more");
  });
}

async function all_done(b: Bench, replies: readonly Reply[]): Promise<Did[]> {
  const did: Did[] = [];
  for (const call of replies.flatMap(({ calls = [] }) => calls)) did.push(await done(b, call));
  return did;
}

async function done(b: Bench, { name, args }: Call): Promise<Did> {
  const given = args as Readonly<Record<string, unknown>>;
  const path = String(given["path"]);
  const { ok, facts = [] } = await b.call(name, given);
  const known = name === "read" ? read(path) : ok ? edit(path) : failed(name, path);
  return (call) => {
    const { rows, action } = known(call);
    const left = facts.map((fact) => ({ ...fact, step: 1, call }) as LedgerRow);
    return { rows: [...rows.filter(({ kind }) => kind === "attempt"), ...left], action };
  };
}
