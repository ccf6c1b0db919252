/// <reference lib="deno.worker" />
// A command a message, with nothing around it: spawned, drained, waited for.

async function drain(stream: ReadableStream<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  return bytes;
}

self.onmessage = async (event: MessageEvent<string>) => {
  const child = new Deno.Command("bash", {
    args: ["-c", event.data],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [status, out] = await Promise.all([
    child.status,
    drain(child.stdout),
    drain(child.stderr),
  ]);
  self.postMessage([status.code, out]);
};
