import assert from "node:assert/strict";
import { lying_png, png, SMALL } from "../src/tools/_images.ts";
import { ANSWER, bash, call, type Recorded, type Reply, say } from "./support/model_server.ts";
import { until } from "./support/hamr.ts";
import { open_stage, type Stage, stage, type StageOptions } from "./support/stage.ts";

const look = (path = "a.png") => call("view_image", { path });
const FILES = { "a.png": png(40, 30), "b.jpg": SMALL["jpeg"]! };
/** llama.cpp's own words, with its own status. */
const NO_EYES: Reply = {
  status: 500,
  body:
    '{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}',
};

/** Each message of a request as its role, with the data URLs of images that it shows. */
function shape({ body }: Recorded): (string | [string, ...string[]])[] {
  return body.messages.map(({ role, content }) => {
    const urls = parts(content).flatMap((part) => part.image_url?.url ?? []);
    return urls.length === 0 ? role : [role, ...urls];
  });
}

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string };
}

function parts(content: unknown): readonly Part[] {
  return Array.isArray(content) ? content : [];
}

const url = (type: string, bytes: Uint8Array) => `data:image/${type};base64,${bytes.toBase64()}`;
const names = ({ body }: Recorded) => (body.tools ?? []).map((tool) => tool.function.name);
const has_images = (request: Recorded) => request.raw.includes('"image_url"');

Deno.test("view_image shows an image to the model, behind the result as the user's", async () => {
  const script = [
    { calls: [look().calls![0]!, look("b.jpg").calls![0]!, look("none.png").calls![0]!] },
    bash("true"),
    say(ANSWER),
  ];
  await open_stage({ script, files: FILES }, async (s) => {
    const { code, events } = await s.events("What is in them?");
    assert.equal(code, 0);
    const [, second, third] = s.server.requests;
    assert.deepEqual(shape(second!), [
      ...["system", "user", "assistant", "tool", "tool", "tool", "assistant"],
      ["user", url("png", FILES["a.png"]), url("jpeg", FILES["b.jpg"])],
    ]);
    // It is shown once, and stays.
    assert.deepEqual(shape(third!).slice(0, 8), shape(second!));
    const results = s.server.results().slice(0, 3);
    assert.deepEqual(results, [
      "a.png: PNG image, 40×30 pixels",
      "b.jpg: JPEG image, 40×30 pixels",
      "Error: none.png does not exist",
    ]);
    const told = events.filter(({ type }) => type === "tool_result").slice(0, 3);
    assert.deepEqual(told.map(({ ok, summary, bytes }) => [ok, summary, bytes]), [
      [true, "PNG image, 40×30 pixels", 31],
      [true, "JPEG image, 40×30 pixels", 32],
      [false, "none.png does not exist", 30],
    ]);
  });
});

Deno.test("a large image, a GIF and a WebP are sent as what every server takes", async () => {
  const files = { "large": png(3136, 300), "g": SMALL["gif"]!, "w": SMALL["webp_lossy"]! };
  const script = [...Object.keys(files).map(look), say(ANSWER)];
  await open_stage({ script, files }, async (s) => {
    assert.equal((await s.run("What is in them?")).code, 0);
    const urls = shape(s.server.requests.at(-1)!).flatMap((one) =>
      Array.isArray(one) ? one.slice(1) : []
    );
    const sizes = urls.map((data) => {
      const bytes = Uint8Array.fromBase64(data.replace("data:image/png;base64,", ""));
      const view = new DataView(bytes.buffer);
      return [view.getUint32(16), view.getUint32(20)];
    });
    assert.deepEqual(sizes, [[1568, 150], [40, 30], [40, 30]]);
  });
});

Deno.test("what is not an image, damaged, a bomb, a pipe or a secret is a result in words", async () => {
  const files = {
    "text.png": "hello",
    "cut.png": png(300, 300, true).subarray(0, 999),
    "bomb.png": lying_png(60_000, 60_000),
    ".env": "KEY=1",
  };
  const paths = ["text.png", "cut.png", "bomb.png", ".env", "pipe"];
  const script = [bash("mkfifo pipe"), ...paths.map(look), say(ANSWER)];
  await open_stage({ script, files }, async (s) => {
    assert.equal((await s.run("What is in them?")).code, 0);
    const [, ...results] = s.server.results();
    const expected = [
      /^Error: text\.png is not a PNG, JPEG, GIF or WebP file$/,
      /^Error: cut\.png is a damaged PNG image$/,
      /^Error: bomb\.png has 60000×60000 pixels, too many to be shown \(50 million at most\)$/,
      /^Error: \.env is not shown/,
      /^Error: pipe is a pipe, not a regular file$/,
    ];
    for (const [at, words] of expected.entries()) assert.match(results[at]!, words);
    assert.ok(!s.server.requests.some(has_images));
  });
});

Deno.test("--image shows files with the task, from the user's folder, before its words", async () => {
  await stage({ files: FILES }, async (s) => {
    const flags = ["--image", "a.png", `--image=${s.ws.at("b.jpg")}`];
    const { code } = await s.run("What is in them?", ...flags);
    assert.equal(code, 0);
    const [request] = s.server.requests;
    const urls = [url("png", FILES["a.png"]), url("jpeg", FILES["b.jpg"])];
    assert.deepEqual(shape(request!), ["system", ["user", ...urls]]);
    const text = parts(request!.body.messages[1]!.content).at(-1);
    assert.deepEqual(text, { type: "text", text: "What is in them?" });
  });
  await stage({ files: { "sub/": "" } }, async (s) => {
    s.outside.write("x.png", FILES["a.png"]);
    const args = ["run", "-C", s.ws.path, "--image", "x.png", "What is it?"];
    assert.equal((await s.hamr(args, { cwd: s.outside.path })).code, 0);
    assert.equal(shape(s.server.requests[0]!)[1]?.length, 2);
  });
});

Deno.test("--image with what can't be sent exits with 3 and names it; nothing is started", async () => {
  const files = {
    "text.png": "hello",
    "cut.png": png(300, 300, true).subarray(0, 999),
    "bomb.png": lying_png(60_000, 60_000),
  };
  await stage({ files, script: [] }, async (s) => {
    const cases: [string, RegExp][] = [
      ["text.png", /--image text\.png: it is not a PNG, JPEG, GIF or WebP file/],
      ["cut.png", /--image cut\.png: it is a damaged PNG image/],
      ["bomb.png", /--image bomb\.png: it has 60000×60000 pixels, too many/],
      ["none.png", /--image none\.png: no such file or folder/],
      [".", /--image \.: not a regular file/],
      ["/dev/zero", /--image \/dev\/zero: not a regular file/],
    ];
    for (const [path, words] of cases) {
      const { code, result } = await s.run("What is it?", "--image", path);
      assert.equal(code, 3, path);
      assert.match(result.error?.message ?? "", words);
    }
    assert.equal(s.server.requests.length, 0);
  });
});

Deno.test("a model that is known not to see is offered no view_image, and --image exits with 3", async () => {
  const servers: readonly StageOptions[] = [{ llama_ctx: 65_536 }, { ollama_ctx: 65_536 }];
  for (const server of servers) {
    // Without a model's name the server is asked first.
    const env = { HAMR_MODEL: "" };
    for (const vision of [true, false]) {
      await stage({ ...server, vision, env, files: FILES }, async (s) => {
        const label = `${Object.keys(server)} ${vision}`;
        assert.equal((await s.run("What is it?")).code, 0);
        assert.equal(names(s.server.requests[0]!).includes("view_image"), vision, label);
      });
      await stage({ ...server, vision, env, files: FILES }, async (s) => {
        const { code, result } = await s.run("What is it?", "--image", "a.png");
        assert.equal(code, vision ? 0 : 3);
        if (vision) return;
        assert.match(
          result.error?.message ?? "",
          /^--image: the server says that scripted can't see images/,
        );
        assert.equal(s.server.requests.length, 0);
      });
    }
  }
});

Deno.test("a model that turns out not to see, once it was asked, is told so; --image still exits with 3", async () => {
  let place: Stage | null = null;
  const replies = [bash("sleep 0.3"), look(), say(ANSWER)];
  const script = async (_: unknown, n: number): Promise<Reply> => {
    await until("it is asked what it can", () => place!.server.paths.includes("GET /props"));
    return replies[n]!;
  };
  await stage({ script, llama_ctx: 65_536, files: FILES }, async (s) => {
    place = s;
    assert.equal((await s.run("What is it?")).code, 0);
    const [, result] = s.server.results();
    assert.match(result!, /^a\.png: PNG image, .*\n\[.*this model can't see images\]$/);
    assert.ok(!s.server.requests.some(has_images));
    // What was offered once stays offered.
    assert.ok(s.server.requests.every((request) => names(request).includes("view_image")));
  });
  const slow = [{ ...say(ANSWER), delay_ms: 1500 }];
  await stage({ script: slow, llama_ctx: 65_536, files: FILES }, async (s) => {
    const { code, result } = await s.run("What is it?", "--image", "a.png");
    assert.equal(code, 3);
    assert.match(
      result.error?.message ?? "",
      /^--image: the server says that scripted can't see images/,
    );
  });
});

Deno.test("a server that refuses an image gets words in its place, and is sent no other", async () => {
  const replies = [look(), bash("true"), look("b.jpg"), say(ANSWER)];
  let next = 0;
  const script = (request: Recorded) => has_images(request) ? NO_EYES : replies[next++]!;
  // The refused request was never taken in: what follows need not begin with it.
  await stage({ script, files: FILES, violations: true }, async (s) => {
    const { code, events, result } = await s.events("What is it?");
    assert.equal(code, 0);
    assert.deepEqual(s.server.requests.map(has_images), [false, true, false, false, false]);
    const results = s.server.results();
    assert.match(results[0]!, /^a\.png: .*\n\[the image is not shown: .*can't see images\]$/);
    assert.match(results[2]!, /^b\.jpg: .*\n\[the image is not shown: .*can't see images\]$/);
    assert.match(
      result.warnings.join("\n"),
      /no more images are sent: .*image input is not supported/,
    );
    assert.ok(!events.some(({ type }) => type === "retry"));
  });
  await stage({
    script: (request) => has_images(request) ? NO_EYES : say(ANSWER),
    files: FILES,
    violations: true,
  }, async (s) => {
    const { code, result } = await s.run("What is it?", "--image", "a.png");
    assert.equal(code, 0);
    const [refused, taken] = s.server.requests;
    assert.deepEqual([has_images(refused!), has_images(taken!)], [true, false]);
    const words = taken!.body.messages[1]!.content;
    assert.match(words!, /^What is it\?\n\[the image is not shown: this model can't see images\]$/);
    assert.match(result.warnings.join("\n"), /no more images are sent/);
  });
});

Deno.test("with calls in text the image is in the message of its result", async () => {
  const say_call = {
    text: '<tool_call>\n{"name":"view_image","arguments":{"path":"a.png"}}\n</tool_call>',
  };
  await open_stage({ script: [say_call, say(ANSWER)], files: FILES }, async (s) => {
    const { code } = await s.run("What is it?", "--tool-call-format", "prompt");
    assert.equal(code, 0);
    const [, second] = s.server.requests;
    const expected = ["user", url("png", FILES["a.png"])];
    assert.deepEqual(shape(second!), ["system", "user", "assistant", expected]);
    const text = parts(second!.body.messages.at(-1)!.content).at(-1)?.text;
    assert.match(text ?? "", /a\.png: PNG image, 40×30 pixels/);
  });
});

Deno.test("a reminder waits while an image comes after the last result", async () => {
  let change = () => {};
  const script = (_: unknown, n: number) => {
    if (n === 1) change();
    return [call("read", { path: "a.txt" }), look(), bash("true")][n] ?? say(ANSWER);
  };
  await open_stage({ script, files: { ...FILES, "a.txt": "one\n" } }, async (s) => {
    change = () => s.ws.write("a.txt", "two\n");
    assert.equal((await s.run("What is it?")).code, 0);
    const reminded = s.server.requests.map(({ raw }) => raw.includes("\\nReminder: changed"));
    assert.deepEqual(reminded, [false, false, false, true]);
  });
});

Deno.test("old images are left out when the window fills up, and the last one is not", async () => {
  const paths = Array.from({ length: 12 }, (_, n) => `${n}.png`);
  const files = Object.fromEntries(paths.map((path) => [path, FILES["a.png"]]));
  const script = [...paths.map(look), say(ANSWER)];
  const env = { HAMR_CONTEXT_PROTECT_LAST: "4", HAMR_AGENT_MAX_OUTPUT_TOKENS: "500" };
  const options = { script, files, env, violations: true };
  await stage(options, async (s) => {
    const { code, events } = await s.events("Look twelve times.", "--context-window", "10000");
    assert.equal(code, 0);
    assert.ok(events.some(({ type }) => type === "compaction"));
    const shown = s.server.requests.map((request) =>
      request.raw.split('"type":"image_url"').length - 1
    );
    assert.ok(Math.max(...shown) < 8, String(shown));
    assert.ok(shown.slice(1).every((images) => images > 0), String(shown));
    assert.match(s.server.requests.at(-1)!.raw, /image left out; view it again/);
  });
});
