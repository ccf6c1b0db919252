import assert from "node:assert/strict";
import { LEFT_OUT, process_io } from "./io.ts";
import { own_environment } from "./restart.ts";

Deno.test("another start loads nothing from where commands write, and its commands have all variables again", () => {
  const before = { LD_LIBRARY_PATH: "/work/lib:/usr/lib", NODE_OPTIONS: "-r /work/.pnp.cjs" };
  const after = own_environment(["/work"], { ...before, LANG: "C" });
  assert.deepEqual([after["LD_LIBRARY_PATH"], after["NODE_OPTIONS"], after["LANG"]], [
    "/usr/lib",
    undefined,
    "C",
  ]);
  assert.ok(!(LEFT_OUT in own_environment(["/elsewhere"], before)));
  const own = Deno.env.toObject();
  try {
    Deno.env.set(LEFT_OUT, after[LEFT_OUT] ?? "");
    const environ = process_io().environ();
    assert.deepEqual([environ["LD_LIBRARY_PATH"], environ["NODE_OPTIONS"], environ[LEFT_OUT]], [
      ...Object.values(before),
      undefined,
    ]);
    for (const rubbish of ["x", "null", '{"":"a"}']) {
      Deno.env.set(LEFT_OUT, rubbish);
      assert.equal(process_io().environ()[LEFT_OUT], undefined, rubbish);
    }
  } finally {
    for (const name of [LEFT_OUT, ...Object.keys(before)]) {
      if (own[name] === undefined) Deno.env.delete(name);
      else Deno.env.set(name, own[name]);
    }
  }
});
