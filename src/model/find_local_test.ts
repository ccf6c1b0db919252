import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { answer, type Exchange, recorded, serve, serve_raw, whole } from "./_testing.ts";
import { installed } from "../../tests/support/installed.ts";
import { find_local, is_strangers } from "./server/discover.ts";

const LLAMA_CPP = {
  "/props": recorded("llama.cpp/props"),
  "/v1/models": recorded("llama.cpp/v1-models"),
};
const OLLAMA = { "/api/ps": recorded("ollama/ps"), "/v1/models": recorded("ollama/v1_models") };
const VLLM = { "/v1/models": { data: [{ id: "m", owned_by: "vllm", max_model_len: 32_768 }] } };

/** Ports on which nothing listens. */
function free_ports(count: number): number[] {
  const listeners = Array.from(
    { length: count },
    () => Deno.listen({ hostname: "127.0.0.1", port: 0 }),
  );
  const ports = listeners.map(({ addr }) => (addr as Deno.NetAddr).port);
  for (const listener of listeners) listener.close();
  return ports;
}

Deno.test("of several servers the one that is preferred is found, whichever is quicker", async () => {
  await using slow = serve_raw(async (exchange) => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    await answer(OLLAMA, exchange);
  });
  await using quick = serve(LLAMA_CPP);
  await using third = serve(VLLM);
  const [none = 0] = free_ports(1);
  const names = async (...ports: number[]) =>
    (await find_local({ ollama: null, ports }))?.server.name;
  strictEqual(await names(slow.port, quick.port, third.port), "ollama");
  strictEqual(await names(none, quick.port, slow.port), "llama.cpp");
  strictEqual(await names(none, none, third.port), "vllm");
  strictEqual(await names(none), undefined);
  const found = await find_local({ ollama: null, ports: [none, quick.port] });
  strictEqual(found?.origin, quick.origin);
});

Deno.test("who listens and never answers is given up, and one that comes first is not held up by it", async () => {
  await using mute = serve_raw(() => {});
  await using web = serve_raw(({ write }) =>
    write(whole("<html>shop</html>", { type: "text/html" }))
  );
  await using last = serve(LLAMA_CPP);
  const name = async (answer_ms: number, ports: number[]) =>
    (await find_local({ ollama: null, answer_ms, ports }))?.server.name;
  strictEqual(await name(1000, [mute.port, web.port, last.port]), "llama.cpp");
  strictEqual(await name(60_000, [web.port, last.port, mute.port]), "llama.cpp");
  // What was still being asked is given up.
  await Promise.all(mute.requests.map((request) => request.gone));
});

Deno.test("a server that is slow to say who it is is waited for, whoever is quicker", async () => {
  const asked = Promise.withResolvers<void>();
  await using slow = serve_raw(async (exchange) => {
    await asked.promise;
    await answer(OLLAMA, exchange);
  });
  await using quick = serve_raw(async (exchange) => {
    await answer(LLAMA_CPP, exchange);
    if (exchange.path === "/v1/models") setTimeout(asked.resolve, 500);
  });
  const found = await find_local({ ollama: null, ports: [slow.port, quick.port] });
  strictEqual(found?.server.name, "ollama");
});

Deno.test("a server that wants a key is found, and asked with the key that is given", async () => {
  const wants = (exchange: Exchange) =>
    exchange.headers.get("authorization") === "Bearer k-1" ? answer(LLAMA_CPP, exchange) : answer({
      "/props": [401, recorded("llama.cpp/nokey-props")],
      "/v1/models": [401, recorded("llama.cpp/nokey-props")],
    }, exchange);
  await using shut = serve_raw(wants);
  await using open = serve(VLLM);
  await using shop = serve({ "/v1/models": [401, "<html>Who are you?</html>"] });
  const find = async (key: string, ...ports: number[]) => {
    const found = await find_local({ ollama: null, key, ports });
    return found && [found.server.name, found.keyed ?? false, found.server.locked ?? false];
  };
  deepStrictEqual(await find("k-1", shop.port, shut.port, open.port), ["llama.cpp", true, false]);
  deepStrictEqual(await find("", shut.port, open.port), ["vllm", false, false]);
  deepStrictEqual(await find("", shop.port, shut.port), ["openai-compatible", false, true]);
  deepStrictEqual(await find("k-2", shop.port, shut.port), ["openai-compatible", true, true]);
  strictEqual(await find("k-1", shop.port), null);
  ok(open.requests.every(({ headers }) => !headers.has("authorization")));
});

Deno.test("OLLAMA_HOST takes the place of Ollama's port, with what it says of who asks", async () => {
  await using elsewhere = serve(OLLAMA);
  await using usual = serve(LLAMA_CPP);
  const place = { origin: elsewhere.origin, headers: { authorization: "Basic eA==" } };
  const found = await find_local({ ollama: place, ports: [usual.port, usual.port] });
  deepStrictEqual([found?.origin, found?.server.name], [elsewhere.origin, "ollama"]);
  ok(elsewhere.requests.every(({ headers }) => headers.get("authorization") === "Basic eA=="));
  ok(usual.requests.every(({ headers }) => !headers.has("authorization")));
});

/** A person of this machine who is none: no home, no name. */
const PERSON = 54_321;
const can_be_others = Deno.build.os === "linux" && Deno.uid() === 0 && installed("python3");
const SERVER = `import http.server, sys
class H(http.server.BaseHTTPRequestHandler):
  def do_GET(self):
    self.send_response(200); self.end_headers(); self.wfile.write(b'{"data":[{"id":"m","owned_by":"vllm"}]}')
  do_POST = do_GET
s = http.server.ThreadingHTTPServer((sys.argv[1], 0), H); print(s.server_port, flush=True); s.serve_forever()`;

/** Which server is found on the port that a program of its own prints; `more` is done while it runs. */
async function found_of(
  child: Deno.ChildProcess,
  more: (port: number) => Promise<void> = () => Promise.resolve(),
): Promise<string | undefined> {
  const reader = child.stdout.getReader();
  const port = Number(new TextDecoder().decode((await reader.read()).value));
  const found = (await find_local({ ollama: null, ports: [port] }))?.server.name;
  await more(port);
  child.kill("SIGKILL");
  await reader.cancel();
  await child.status;
  return found;
}

Deno.test({
  name: "another user's server is not found, wherever it listens; a service's is" +
    (can_be_others
      ? ""
      : " (NOT TESTED HERE: only root starts others' programs, and takes python3)"),
  ignore: !can_be_others,
  async fn() {
    const found: (string | undefined)[] = [];
    for (
      const [uid, host] of [
        [PERSON, "127.0.0.1"],
        [PERSON, "0.0.0.0"],
        [999, "127.0.0.1"],
        // What only a workspace's settings lead to.
        [PERSON, "127.0.0.2"],
      ] as const
    ) {
      const child = new Deno.Command("setpriv", {
        args: [
          ...[`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--"],
          ...["/usr/bin/env", "python3", "-c", SERVER, host],
        ],
        cwd: "/",
        clearEnv: true,
        env: { PATH: "/usr/bin:/bin" },
        stdout: "piped",
        stderr: "null",
      }).spawn();
      const is_found_by_name = async (port: number) => {
        strictEqual(await is_strangers(`http://${host}:${port}//127.0.0.1:1/v1`), true, host);
        if (host === "127.0.0.2") return;
        const place = { origin: `http://127.0.0.1:${port}`, headers: {} };
        const named = await find_local({ ollama: place, ports: [port] });
        strictEqual(named?.server.name, "vllm", "who is named is");
      };
      found.push(await found_of(child, uid === PERSON ? is_found_by_name : undefined));
    }
    deepStrictEqual(found, [undefined, undefined, "vllm", undefined]);
  },
});

Deno.test({
  name:
    "what a command of another run serves is not found: the sandbox binds it to the loopback device" +
    (can_be_others
      ? ""
      : " (NOT TESTED HERE: only root may bind to a device for sure, and takes python3)"),
  ignore: !can_be_others,
  async fn() {
    const bound = SERVER.replace(
      "print(",
      "s.socket.setsockopt(1, 25, b'lo\\0') if sys.argv[2] == 'lo' else None; print(",
    );
    const found: (string | undefined)[] = [];
    for (const device of ["lo", "any"]) {
      const child = new Deno.Command("python3", {
        args: ["-c", bound, "127.0.0.1", device],
        stdout: "piped",
        stderr: "null",
      }).spawn();
      found.push(await found_of(child));
    }
    deepStrictEqual(found, [undefined, "vllm"]);
  },
});
