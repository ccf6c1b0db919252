import { must_call, SandboxError } from "./error.ts";
import { buffer_of, type Libc } from "./libc.ts";
import { must_prctl, prctl } from "./prctl.ts";

/** Source: linux/include/uapi/linux/capability.h */
const CAP = {
  CHOWN: 0,
  DAC_OVERRIDE: 1,
  FOWNER: 3,
  FSETID: 4,
  KILL: 5,
  SETGID: 6,
  SETUID: 7,
  SETPCAP: 8,
  NET_BIND_SERVICE: 10,
} as const;

/** What children of root keep: builds in containers own files they did not make and change users. None reaches a device or the kernel. */
const KEPT_BY_CHILDREN: readonly number[] = [
  CAP.CHOWN,
  CAP.DAC_OVERRIDE,
  CAP.FOWNER,
  CAP.FSETID,
  CAP.SETGID,
  CAP.SETUID,
  CAP.NET_BIND_SERVICE,
];

/** Room for capabilities yet to be invented; the kernel's sets are 64 bits wide. It knows none after the first that it does not. */
const MOST_CAPABILITIES = 64;
const AMBIENT_CLEAR_ALL = 4;
/** _LINUX_CAPABILITY_VERSION_3: 64-bit sets, two words each. */
const VERSION = 0x20080522;
const HEADER_BYTES = 8;
const DATA_BYTES = 24;

type Sets = Readonly<Record<"effective" | "permitted" | "inheritable", bigint>>;

interface Dropped {
  /** False if there was no right to lower the bounding set: NO_NEW_PRIVS and the thread's own set do it alone. */
  readonly bounding: boolean;
  /** What a program started from this thread by root can have at most. */
  readonly left: bigint;
}

/**
 * Takes from the calling thread, and from all it will start, every capability but the few above.
 *
 * Three locks, as root's programs get their capabilities again at each exec: the bounding set (needs CAP_SETPCAP),
 * the thread's own permitted set (under NO_NEW_PRIVS, which must be set, an exec can't gain what its caller did not have),
 * and empty inheritable and ambient sets (which would pass the bounding set by).
 * @throws {SandboxError} where the kernel refuses, or where something is left that should not be.
 */
export function drop_capabilities(libc: Libc): Dropped {
  const before = get_sets(libc);
  const bounding = (before.effective & bit(CAP.SETPCAP)) !== 0n;
  for (const cap of bounding ? bounding_set(libc) : []) {
    if (!KEPT_BY_CHILDREN.includes(cap)) must_prctl(libc, "CAPBSET_DROP", cap);
  }
  must_prctl(libc, "CAP_AMBIENT", AMBIENT_CLEAR_ALL);

  const children = bits_of(KEPT_BY_CHILDREN);
  // The thread itself has to end children that changed their user; the bounding set keeps this from them.
  const own = bounding ? children | bit(CAP.KILL) : children;
  set_sets(libc, {
    permitted: before.permitted & own,
    effective: before.effective & own,
    inheritable: 0n,
  });

  const after = get_sets(libc);
  const left = after.permitted & (bounding ? bits_of(bounding_set(libc)) : ~0n);
  if ((left & ~children) !== 0n || after.inheritable !== 0n) {
    throw new SandboxError("dropping capabilities had no effect");
  }
  return { bounding, left };
}

function bit(cap: number): bigint {
  return 1n << BigInt(cap);
}

function bits_of(caps: readonly number[]): bigint {
  return caps.reduce((bits, cap) => bits | bit(cap), 0n);
}

function bounding_set(libc: Libc): number[] {
  const caps: number[] = [];
  for (let cap = 0; cap < MOST_CAPABILITIES; cap++) {
    const held = prctl(libc, "CAPBSET_READ", cap);
    if (held < 0) break;
    if (held === 1) caps.push(cap);
  }
  return caps;
}

function header(): Uint8Array<ArrayBuffer> {
  const bytes = buffer_of(HEADER_BYTES);
  new DataView(bytes.buffer).setUint32(0, VERSION, true);
  return bytes;
}

function get_sets(libc: Libc): Sets {
  const data = buffer_of(DATA_BYTES);
  must_call(libc, ["capget", header(), data]);
  const view = new DataView(data.buffer);
  const set = (at: number) =>
    BigInt(view.getUint32(at, true)) | (BigInt(view.getUint32(at + 12, true)) << 32n);
  return { effective: set(0), permitted: set(4), inheritable: set(8) };
}

function set_sets(libc: Libc, sets: Sets): void {
  const data = buffer_of(DATA_BYTES);
  const view = new DataView(data.buffer);
  [sets.effective, sets.permitted, sets.inheritable].forEach((bits, index) => {
    view.setUint32(4 * index, Number(bits & 0xffffffffn), true);
    view.setUint32(4 * index + 12, Number(bits >> 32n), true);
  });
  must_call(libc, ["capset", header(), data]);
}
