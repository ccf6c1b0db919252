/** What `work` returns; `otherwise` if it throws anything. */
export function attempt<T, Otherwise = undefined>(
  work: () => T,
  otherwise?: Otherwise,
): T | Otherwise {
  try {
    return work();
  } catch {
    return otherwise as Otherwise;
  }
}

/** The error that ended a block: of a `SuppressedError`, where what `using` ends failed as well, the one that the block threw. */
export function first_thrown(error: unknown): unknown {
  return error instanceof SuppressedError ? first_thrown(error.suppressed) : error;
}

/** For `using`: does `work` when the block ends, however it ends (`defer` in other languages). */
export function at_end(work: () => void): Disposable {
  return { [Symbol.dispose]: work };
}

/** What `work` returns; if it throws, throws what `fault` makes of that. */
export function or_throw<T>(work: () => T, fault: (error: unknown) => unknown): T {
  try {
    return work();
  } catch (error) {
    throw fault(first_thrown(error));
  }
}
