/** Limits of this process and of what it will start (prlimit(2)). */
import { buffer_of, type Libc } from "./libc.ts";

/** `struct rlimit64`; no limit is the highest number. */
export interface HeldLimit {
  readonly soft: bigint;
  readonly hard: bigint;
}

/** What holds now; null where that is not told. */
export function held_limit(libc: Libc, resource: number): HeldLimit | null {
  const buffer = buffer_of(16);
  if (libc.call("prlimit64", [0, resource, 0, buffer]) !== 0) return null;
  const [soft = 0n, hard = 0n] = new BigUint64Array(buffer.buffer);
  return { soft, hard };
}

export function set_limit(libc: Libc, resource: number, { soft, hard }: HeldLimit): boolean {
  const limits = new Uint8Array(new BigUint64Array([soft, hard]).buffer);
  return libc.call("prlimit64", [0, resource, limits, 0]) === 0;
}
