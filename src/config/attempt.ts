/** What `work` gives; `otherwise` where it throws, whatever that is. */
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

/** What ended a block: where its end failed as well, by `using`, what the block itself threw. */
export function first_thrown(error: unknown): unknown {
  return error instanceof SuppressedError ? first_thrown(error.suppressed) : error;
}

/** For `using`: `work` is done where the block ends, however it ends. */
export function at_end(work: () => void): Disposable {
  return { [Symbol.dispose]: work };
}

/** What `work` gives; where it throws, that is thrown as `fault` puts it. */
export function or_throw<T>(work: () => T, fault: (error: unknown) => unknown): T {
  try {
    return work();
  } catch (error) {
    throw fault(first_thrown(error));
  }
}
