import assert from "node:assert/strict";
import { run_filter } from "../_interpreter.ts";
import { assemble, type BpfInstruction } from "./bpf.ts";

const run = (program: Uint8Array<ArrayBuffer>, number: number) =>
  run_filter(program, { number, arch: 0, args: [] });

Deno.test("jumps land on their labels", () => {
  const program = assemble([
    { op: "load", at: 0 },
    { op: "if_equal", value: 3, yes: "three" },
    { op: "if_any_bit", value: 0xf0000000, yes: "high", no: "low" },
    { op: "label", name: "three" },
    { op: "return", value: 33 },
    { op: "label", name: "high" },
    { op: "return", value: 99 },
    { op: "label", name: "low" },
    { op: "return", value: 11 },
  ]);
  assert.deepEqual([3, 0x80000000, 7].map((number) => run(program, number)), [33, 99, 11]);
});

Deno.test("instructions are the kernel's bytes", () => {
  // A check of the processor, as `seccomp_export_bpf` of libseccomp writes it.
  const program = assemble([
    { op: "load", at: 4 },
    { op: "if_equal", value: 0xc000003e, no: "end" },
    { op: "return", value: 0x7fff0000 },
    { op: "label", name: "end" },
    { op: "return", value: 0x80000000 },
  ]);
  assert.equal(
    [...program].map((b) => b.toString(16).padStart(2, "0")).join(""),
    "2000000004000000" + "150000013e0000c0" + "060000000000ff7f" + "0600000000000080",
  );
});

Deno.test("a jump that can't be encoded is refused, not cut", () => {
  const far: BpfInstruction[] = [
    { op: "if_equal", value: 1, yes: "end" },
    ...Array.from({ length: 256 }, (): BpfInstruction => ({ op: "return", value: 0 })),
    { op: "label", name: "end" },
    { op: "return", value: 0 },
  ];
  assert.throws(() => assemble(far), /256 away/);
  assert.throws(() => assemble([{ op: "go", to: "nowhere" }]), /no label nowhere/);
  const back: BpfInstruction[] = [{ op: "label", name: "start" }, { op: "go", to: "start" }];
  assert.throws(() => assemble(back), /-1 away/);
});
