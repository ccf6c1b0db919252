import { attempt } from "../../config/attempt.ts";
import { type Arch, type Syscall, syscall_number } from "./syscalls.ts";

/** A plain number, a name, or a buffer; of the latter two the address is passed. */
export type Argument = number | bigint | string | Uint8Array<ArrayBuffer>;

/** System calls on the calling thread by three symbols, 0.15 ms of start-up each. Integers and buffers go on working after `ffi` is revoked. */
export interface Libc {
  readonly arch: Arch;
  /**
   * Makes a system call and returns its result, -1 on failure.
   * @throws {Error} where this architecture does not have the call, and on a name with a NUL inside.
   */
  call(name: Syscall, args: readonly Argument[]): number;
  /** The error number of the last call that failed, whatever was called since. */
  errno(): number;
  /** The file name under which the C library was found, to open more of it. */
  readonly library: string;
  /** Where a buffer is in memory. Keep the buffer referenced as long as the address is used. */
  address(buffer: Uint8Array<ArrayBuffer>): bigint;
}

const SYMBOLS = {
  syscall: { parameters: ["i64", "i64", "i64", "i64", "i64", "i64", "i64"], result: "i32" },
  // Returns its first argument: with a length of 0 it is the address of a buffer.
  memcpy: { parameters: ["buffer", "usize", "usize"], result: "usize" },
  errno_location: { name: "__errno_location", parameters: [], result: "usize" },
} as const;

type Symbols = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

/** glibc first; then musl, under the name it has for each processor. */
export const LIBRARIES = ["libc.so.6", `libc.musl-${Deno.build.arch}.so.1`];

/** Two of the longest names that a file can have: more than that a call is given in no case. */
const NAMES_BYTES = 2 * 4096;
const NOTHING: readonly Argument[] = [];
const encoder = new TextEncoder();

let opened: Libc | undefined;

/**
 * Opens the C library, once for this thread's isolate. Costs 1 to 2 ms the first time.
 * @throws {Error} where there is none, the processor is unknown, or `ffi` is not allowed.
 */
export function open_libc(): Libc {
  opened ??= wrap(open_library());
  return opened;
}

/** The C library, where this thread has opened it; else null. */
export function opened_libc(): Libc | null {
  return opened ?? null;
}

/** The C library, where it is Linux's and can be opened; else null. */
export function linux_libc(): Libc | null {
  return attempt(() => Deno.build.os === "linux" ? open_libc() : null, null);
}

/** A buffer outside the garbage collector's heap, so that its address stays true. */
export function buffer_of(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(length));
}

/**
 * A NUL-terminated string.
 * @throws {Error} on a NUL inside: the kernel would read another, shorter name.
 */
export function c_string(text: string): Uint8Array<ArrayBuffer> {
  refuse_nul(text);
  const bytes = encoder.encode(text);
  const buffer = buffer_of(bytes.length + 1);
  buffer.set(bytes);
  return buffer;
}

function refuse_nul(text: string): void {
  if (text.includes("\0")) throw new Error(`a name with a NUL in it: ${JSON.stringify(text)}`);
}

function open_library(): { readonly symbols: Symbols; readonly library: string } {
  let failure: unknown;
  for (const library of LIBRARIES) {
    try {
      return { symbols: Deno.dlopen(library, SYMBOLS).symbols, library };
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function wrap({ symbols, library }: { symbols: Symbols; library: string }): Libc {
  const { arch } = Deno.build;
  const { syscall, memcpy } = symbols;
  const scratch = buffer_of(8);
  const view = new DataView(scratch.buffer);
  // An isolate stays on its thread, so this stays where the thread has its error number.
  const errno_at = symbols.errno_location();
  let errno = 0;
  // Holds the buffers of the call being made, so that none is collected between taking its address and
  // the kernel's reading it.
  let pinned = NOTHING;
  // The names of the call being made, one after the other.
  const names = buffer_of(NAMES_BYTES);
  const address = (buffer: Uint8Array<ArrayBuffer>) => memcpy(buffer, 0n, 0n);
  const names_at = address(names);
  let used = 0;
  const numbers = new Map<Syscall, bigint>();

  const number_of = (name: Syscall): bigint => {
    const number = syscall_number(name, arch);
    if (number === null) throw new Error(`system call ${name} does not exist on ${arch}`);
    numbers.set(name, BigInt(number));
    return BigInt(number);
  };
  const address_of_name = (name: string): bigint => {
    refuse_nul(name);
    const { read, written } = encoder.encodeInto(name, names.subarray(used));
    const end = used + written;
    if (read < name.length || end === NAMES_BYTES) {
      const buffer = c_string(name);
      pinned = [...pinned, buffer];
      return address(buffer);
    }
    const at = names_at + BigInt(used);
    names[end] = 0;
    used = end + 1;
    return at;
  };
  const word = (argument: Argument): bigint => {
    switch (typeof argument) {
      case "string":
        return address_of_name(argument);
      case "object":
        return address(argument);
      default:
        return BigInt(argument);
    }
  };

  return {
    arch,
    library,
    address,
    call(name, args) {
      const number = numbers.get(name) ?? number_of(name);
      pinned = args;
      used = 0;
      const result = syscall(
        number,
        args.length > 0 ? word(args[0] as Argument) : 0n,
        args.length > 1 ? word(args[1] as Argument) : 0n,
        args.length > 2 ? word(args[2] as Argument) : 0n,
        args.length > 3 ? word(args[3] as Argument) : 0n,
        args.length > 4 ? word(args[4] as Argument) : 0n,
        args.length > 5 ? word(args[5] as Argument) : 0n,
      );
      // At once, and without a condition. Wherever JavaScript enters or leaves a function, or needs memory, V8 may wait for a
      // thread that compiles or collects, and such a wait leaves an error number of its own: asked for by its caller, that of
      // a failed call was another one (ENOENT, EAGAIN) in 2 of 100 processes that had just started on a busy machine.
      memcpy(scratch, errno_at, 4n);
      if (result === -1) errno = view.getInt32(0, true);
      pinned = NOTHING;
      return result;
    },
    errno: () => errno,
  };
}
