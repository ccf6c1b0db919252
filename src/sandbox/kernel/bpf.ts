/**
 * A small assembler for the kernel's classic BPF, as seccomp runs it: jumps go forward only, to labels that
 * are turned into distances here.
 *
 * Source of the numbers: linux/include/uapi/linux/bpf_common.h and filter.h.
 */

/** One line of a program. The accumulator is 32 bits wide. */
export type BpfInstruction =
  /** Reads the 32-bit word at this byte of `struct seccomp_data`. */
  | { readonly op: "load"; readonly at: number }
  /** Keeps only these bits. */
  | { readonly op: "and"; readonly mask: number }
  /** Goes to a label, depending on the accumulator; a missing label means the next line. */
  | {
    readonly op: "if_equal" | "if_at_least" | "if_any_bit";
    readonly value: number;
    readonly yes?: string;
    readonly no?: string;
  }
  /** Goes to a label, however far. */
  | { readonly op: "go"; readonly to: string }
  /** Ends with this verdict. */
  | { readonly op: "return"; readonly value: number }
  | { readonly op: "label"; readonly name: string };

/** The kernel's limit, BPF_MAXINSNS. */
const MOST_INSTRUCTIONS = 4096;
/** A conditional jump has 8 bits for its distance. */
const FARTHEST_CONDITIONAL = 255;
/** `struct sock_filter`: u16 code, u8 jt, u8 jf, u32 k. */
const INSTRUCTION_BYTES = 8;

const CODE = {
  load: 0x20, // BPF_LD | BPF_W | BPF_ABS
  and: 0x54, // BPF_ALU | BPF_AND | BPF_K
  go: 0x05, // BPF_JMP | BPF_JA
  if_equal: 0x15, // BPF_JMP | BPF_JEQ | BPF_K
  if_at_least: 0x35, // BPF_JMP | BPF_JGE | BPF_K
  if_any_bit: 0x45, // BPF_JMP | BPF_JSET | BPF_K
  return: 0x06, // BPF_RET | BPF_K
} as const;

/**
 * Turns lines into `struct sock_filter[]`.
 * @throws {Error} on a label that is missing, behind, or too far for a conditional jump, or on more
 * instructions than the kernel takes. All of these are mistakes in this program, not of its user.
 */
export function assemble(lines: readonly BpfInstruction[]): Uint8Array<ArrayBuffer> {
  const labels = new Map<string, number>();
  let count = 0;
  for (const line of lines) {
    if (line.op === "label") labels.set(line.name, count);
    else count++;
  }
  if (count > MOST_INSTRUCTIONS) throw new Error(`filter too long: ${count} instructions`);

  const bytes = new Uint8Array(new ArrayBuffer(count * INSTRUCTION_BYTES));
  const view = new DataView(bytes.buffer);
  let at = 0;

  const distance = (label: string | undefined, limit: number): number => {
    if (label === undefined) return 0;
    const target = labels.get(label);
    if (target === undefined) throw new Error(`filter has no label ${label}`);
    const far = target - at - 1;
    if (far < 0 || far > limit) throw new Error(`label ${label} is ${far} away from line ${at}`);
    return far;
  };

  for (const line of lines) {
    if (line.op === "label") continue;
    const offset = at * INSTRUCTION_BYTES;
    view.setUint16(offset, CODE[line.op], true);
    switch (line.op) {
      case "load":
        view.setUint32(offset + 4, line.at, true);
        break;
      case "and":
        view.setUint32(offset + 4, line.mask, true);
        break;
      case "go":
        view.setUint32(offset + 4, distance(line.to, MOST_INSTRUCTIONS), true);
        break;
      case "return":
        view.setUint32(offset + 4, line.value, true);
        break;
      case "if_equal":
      case "if_at_least":
      case "if_any_bit":
        view.setUint8(offset + 2, distance(line.yes, FARTHEST_CONDITIONAL));
        view.setUint8(offset + 3, distance(line.no, FARTHEST_CONDITIONAL));
        view.setUint32(offset + 4, line.value, true);
        break;
    }
    at++;
  }
  return bytes;
}
