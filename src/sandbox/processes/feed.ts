/** Gives a program its input. It may end without having read it: then it has nothing to say. */
export async function feed_stdin(
  pipe: WritableStream<Uint8Array<ArrayBuffer>>,
  text: string,
): Promise<void> {
  const writer = pipe.getWriter();
  try {
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch {
    // Nobody reads it anymore.
  }
}
