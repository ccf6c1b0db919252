/** Pieces of work at once (issue: calls side by side). */
const AT_ONCE = 4;

/** Does work one after the other, or a few pieces `at_once`; what comes of it is in the order of `items`. */
export async function in_order<T, R>(
  items: readonly T[],
  at_once: boolean,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const left = [...items.entries()];
  const take = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      results[next[0]] = await work(next[1]);
    }
  };
  await Promise.all(Array.from({ length: at_once ? AT_ONCE : 1 }, take));
  return results;
}
