/** Runs a seccomp program as the kernel would. For tests: the filter for one processor is tried on the other. */

/** A system call as the filter sees it. */
export interface Call {
  readonly number: number;
  /** AUDIT_ARCH_*. */
  readonly arch: number;
  readonly args: readonly (number | bigint)[];
}

const OPS = { ld: 0x20, and: 0x54, ja: 0x05, jeq: 0x15, jge: 0x35, jset: 0x45, ret: 0x06 } as const;

/** The value that the program returns for a call. */
export function run_filter(program: Uint8Array<ArrayBuffer>, call: Call): number {
  const code = new DataView(program.buffer);
  const data = seccomp_data(call);
  let accumulator = 0;
  for (let at = 0;; at++) {
    const op = code.getUint16(at * 8, true);
    const yes = code.getUint8(at * 8 + 2);
    const no = code.getUint8(at * 8 + 3);
    const value = code.getUint32(at * 8 + 4, true);
    const jump = (holds: boolean) => at += holds ? yes : no;
    if (op === OPS.ld) accumulator = data.getUint32(value, true);
    else if (op === OPS.and) accumulator = (accumulator & value) >>> 0;
    else if (op === OPS.ja) at += value;
    else if (op === OPS.jeq) jump(accumulator === value);
    else if (op === OPS.jge) jump(accumulator >= value);
    else if (op === OPS.jset) jump((accumulator & value) !== 0);
    else if (op === OPS.ret) return value;
    else throw new Error(`unknown instruction ${op} at ${at}`);
  }
}

function seccomp_data(call: Call): DataView {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.arch, true);
  call.args.forEach((arg, index) => {
    data.setBigUint64(16 + 8 * index, BigInt.asUintN(64, BigInt(arg)), true);
  });
  return data;
}
