/** What work comes to, or null where it takes longer than so many milliseconds; then nobody hears what it comes to. */
export async function within<T>(ms: number, work: T | Promise<T>): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(late.resolve, ms, null);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
