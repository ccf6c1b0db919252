import { assemble, type BpfInstruction } from "./bpf.ts";
import { errno_of, type ErrnoName } from "./errno.ts";
import { type Arch, NEWEST_KNOWN_SYSCALL, type Syscall, syscall_number } from "./syscalls.ts";

/** What happens to a call. `ask` hands it to the listener of the filter (user notification); `pretend` says 0 and does nothing. */
export type SyscallAction = "allow" | "ask" | "kill" | "pretend" | ErrnoName;

/**
 * A condition on one argument, 0 to 5. `low` and `one_of` look at the low half of the register only, as the kernel does for an `int`. A
 * `one_of` may be long: it stands first.
 */
export type Condition =
  | { readonly kind: "one_of"; readonly arg: number; readonly of: readonly number[] }
  | { readonly kind: "low"; readonly arg: number; readonly is: number; readonly mask?: number }
  | { readonly kind: "any_bit"; readonly arg: number; readonly mask: number }
  | { readonly kind: "whole"; readonly arg: number; readonly is: bigint }
  | { readonly kind: "not_null"; readonly arg: number };

/** The first rule of a call whose conditions all hold decides; a call without one is allowed. */
export interface FilterRule {
  readonly calls: readonly Syscall[];
  readonly when?: readonly Condition[];
  readonly then: SyscallAction;
}

/** That an argument is this number, of which only the bits of `mask` count. */
export function low(arg: number, is: number, mask?: number): Condition {
  return mask === undefined ? { kind: "low", arg, is } : { kind: "low", arg, is, mask };
}

export function one_of(arg: number, of: readonly number[]): Condition {
  return { kind: "one_of", arg, of };
}

export function any_bit(arg: number, mask: number): Condition {
  return { kind: "any_bit", arg, mask };
}

/** What happens to these calls where all conditions hold. */
export function on_call(
  calls: Syscall | readonly Syscall[],
  then: SyscallAction,
  ...when: Condition[]
): FilterRule {
  const of = typeof calls === "string" ? [calls] : calls;
  return when.length === 0 ? { calls: of, then } : { calls: of, when, then };
}

export function ioctl_rules(commands: readonly number[], then: SyscallAction): FilterRule[] {
  return commands.map((command) => on_call("ioctl", then, low(1, command)));
}

/** Offsets in `struct seccomp_data` (linux/include/uapi/linux/seccomp.h); both processors are little-endian. */
const AT = { number: 0, arch: 4, args: 16 } as const;

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64 (linux/include/uapi/linux/audit.h). */
const AUDIT_ARCH: Readonly<Record<Arch, number>> = {
  x86_64: 0xc000003e,
  aarch64: 0xc00000b7,
};

/** SECCOMP_RET_* (linux/include/uapi/linux/seccomp.h). */
const RETURN = {
  allow: 0x7fff0000,
  ask: 0x7fc00000,
  kill: 0x80000000,
  errno: 0x00050000,
  pretend: 0x00050000,
} as const;

export function verdict_value(verdict: SyscallAction): number {
  switch (verdict) {
    case "allow":
    case "ask":
    case "kill":
    case "pretend":
      return RETURN[verdict];
    default:
      return RETURN.errno | errno_of(verdict);
  }
}

/**
 * Rules → a seccomp program.
 *
 * Before any rule: a call of another processor mode (32-bit) ends the process, as numbers mean something else
 * there and a 32-bit program could not even exit; x32 calls and calls that this filter has never heard of
 * are answered with ENOSYS.
 */
export function compile_filter(rules: readonly FilterRule[], arch: Arch): Uint8Array<ArrayBuffer> {
  const lines: BpfInstruction[] = [
    { op: "load", at: AT.arch },
    { op: "if_equal", value: AUDIT_ARCH[arch], yes: "own arch" },
    { op: "return", value: verdict_value("kill") },
    { op: "label", name: "own arch" },
    { op: "load", at: AT.number },
    // Also catches x32, whose numbers have bit 30 set, and its quirk numbers 512 to 547.
    { op: "if_at_least", value: NEWEST_KNOWN_SYSCALL + 1, no: "known" },
    { op: "return", value: verdict_value("ENOSYS") },
    { op: "label", name: "known" },
  ];
  const by_call = Map.groupBy(
    rules.flatMap((rule) => rule.calls.map((call) => ({ call, rule }))),
    ({ call }) => call,
  );
  for (const [call, own] of by_call) {
    const number = syscall_number(call, arch);
    if (number === null) continue;
    // The whole group can be longer than a conditional jump.
    lines.push(
      { op: "if_equal", value: number, yes: `${call}?` },
      { op: "go", to: `after ${call}` },
      { op: "label", name: `${call}?` },
    );
    own.forEach(({ rule }, index) => lines.push(...one_rule(rule, `${call} ${index}`)));
    if (own.at(-1)?.rule.when !== undefined) {
      lines.push({ op: "return", value: verdict_value("allow") });
    }
    lines.push({ op: "label", name: `after ${call}` });
  }
  lines.push({ op: "return", value: verdict_value("allow") });
  return assemble(lines);
}

function one_rule(rule: FilterRule, name: string): BpfInstruction[] {
  const lines: BpfInstruction[] = [];
  const miss = `not ${name}`;
  (rule.when ?? []).forEach((condition, index) => {
    lines.push(...one_condition(condition, { miss, hit: `${name} holds ${index}` }));
  });
  lines.push({ op: "return", value: verdict_value(rule.then) }, { op: "label", name: miss });
  return lines;
}

/** As many comparisons lead to one place: the last is reached by a conditional jump from the first. */
const NEAR = 200;

/** Where those of a group that hold meet, and from where they go on. */
function gathered(nth: number, hit: string): BpfInstruction[] {
  return [
    { op: "go", to: `${hit} past ${nth}` },
    { op: "label", name: `${hit} ${nth}` },
    { op: "go", to: hit },
    { op: "label", name: `${hit} past ${nth}` },
  ];
}

function one_condition(
  condition: Condition,
  labels: { miss: string; hit: string },
): BpfInstruction[] {
  const low = AT.args + 8 * condition.arg;
  const high = low + 4;
  const { miss, hit } = labels;
  switch (condition.kind) {
    case "low": {
      const masked: BpfInstruction[] = condition.mask === undefined
        ? []
        : [{ op: "and", mask: condition.mask >>> 0 }];
      return [
        { op: "load", at: low },
        ...masked,
        { op: "if_equal", value: condition.is >>> 0, no: miss },
      ];
    }
    case "one_of":
      return [
        { op: "load", at: low },
        ...condition.of.flatMap((id, nth): BpfInstruction[] => [
          { op: "if_equal", value: id >>> 0, yes: `${hit} ${Math.floor(nth / NEAR)}` },
          ...((nth + 1) % NEAR === 0 ? gathered(Math.floor(nth / NEAR), hit) : []),
        ]),
        { op: "go", to: miss },
        { op: "label", name: `${hit} ${Math.floor(condition.of.length / NEAR)}` },
        { op: "label", name: hit },
      ];
    case "any_bit":
      return [
        { op: "load", at: low },
        { op: "if_any_bit", value: condition.mask >>> 0, no: miss },
      ];
    case "whole":
      return [
        { op: "load", at: low },
        { op: "if_equal", value: Number(BigInt.asUintN(32, condition.is)), no: miss },
        { op: "load", at: high },
        { op: "if_equal", value: Number(BigInt.asUintN(32, condition.is >> 32n)), no: miss },
      ];
    case "not_null":
      return [
        { op: "load", at: low },
        { op: "if_any_bit", value: 0xffffffff, yes: hit },
        { op: "load", at: high },
        { op: "if_equal", value: 0, yes: miss },
        { op: "label", name: hit },
      ];
  }
}
