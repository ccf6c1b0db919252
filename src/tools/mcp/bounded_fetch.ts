/** `fetch` for MCP servers over HTTP, with a limit on the size of answers. */

/** Of one answer, or of the events of one stream. */
const MOST_BYTES = 64 * 1024 * 1024;

/** An answer whose body breaks off with an error where there is too much of it. */
export async function bounded_fetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  let left = MOST_BYTES;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(bytes, controller) {
        left -= bytes.length;
        if (left < 0) controller.error(new Error("the answer is larger than 64 MiB"));
        // What was packed comes in pieces of 4 kB, each of which holds 64 kB as long as it is there.
        else controller.enqueue(bytes.buffer.byteLength > 2 * bytes.length ? bytes.slice() : bytes);
      },
    }),
  );
  const { status, statusText, headers } = response;
  const bounded = new Response(counted, { status, statusText, headers });
  // What a redirect is judged by.
  Object.defineProperty(bounded, "url", { value: response.url });
  Object.defineProperty(bounded, "redirected", { value: response.redirected });
  return bounded;
}
