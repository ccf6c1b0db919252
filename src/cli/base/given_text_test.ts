import assert from "node:assert/strict";
import { lchownSync } from "node:fs";
import { refuse_long_rubric } from "../../app/rubric.ts";
import { mcp_servers } from "../../app/mcp_servers.ts";
import { load_settings } from "../../app/settings.ts";
import { parse } from "../args/args.ts";
import { given_text as text_given, text_of_file } from "./given_text.ts";
import { read_images } from "./images.ts";
import { StartError, UsageError } from "../../config/error.ts";

/** Of a run in a folder, without any settings. */
const place_in = (workspace: string, home = "/nowhere") =>
  load_settings(parse(["run", "-C", workspace, "x"]), { environ: () => ({ HOME: home }) });
const EMPTY = await place_in(Deno.makeTempDirSync());
const given_text = (flag: "--rubric" | "--system", given: string) => text_given(flag, given, EMPTY);

Deno.test("a rubric is its text, or the text of the file after the @", () => {
  const file = Deno.makeTempFileSync();
  try {
    Deno.writeTextFileSync(file, "\n- All tests pass.\n");
    assert.equal(given_text("--rubric", " It works. "), "It works.");
    assert.equal(given_text("--rubric", `@${file}`), "- All tests pass.");
    assert.equal(given_text("--rubric", "mail to a@b"), "mail to a@b");
  } finally {
    Deno.removeSync(file);
  }
});

Deno.test("a rubric that is none is refused with the reason", () => {
  const folder = Deno.makeTempDirSync();
  const at = (name: string, content: string | Uint8Array) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    Deno.writeFileSync(`${folder}/${name}`, bytes);
    return `@${folder}/${name}`;
  };
  const cases: [string, RegExp][] = [
    ["  ", /it is empty/],
    ["@", /name a file/],
    [`@${folder}`, /not a regular file/],
    [`@${folder}/none`, /No such file|not found/i],
    ["@/dev/zero", /not a regular file/],
    [at("empty", " \n"), /it is empty/],
    [at("large", "x".repeat(65_537)), /65537 bytes; at most 65536/],
    [at("latin1", Uint8Array.of(0xe9, 0x20)), /not UTF-8 text/],
    ["é".repeat(40_000), /80000 bytes/],
  ];
  try {
    for (const [given, expected] of cases) {
      assert.throws(() => given_text("--rubric", given), (error) => {
        assert.ok(error instanceof UsageError);
        assert.match(error.message, expected);
        assert.match(error.message, /^--rubric/);
        assert.ok(error.message.length < 500);
        return true;
      });
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("a rubric may take an eighth of a known window", () => {
  const endpoint = (context_window: number, window_known = true) => ({
    model: "m",
    context_window,
    window_known,
    window_source: "set",
  });
  refuse_long_rubric(endpoint(8192), "x".repeat(4096));
  assert.throws(() => refuse_long_rubric(endpoint(8192), "x".repeat(4097)), StartError);
  refuse_long_rubric(endpoint(8192, false), "x".repeat(65_536));
  refuse_long_rubric(endpoint(131_072), "x".repeat(65_536));
});

Deno.test("a link in the workspace leads a flag to no key, and to anything else; a key itself can be named", async () => {
  const home = Deno.realPathSync(Deno.makeTempDirSync());
  const workspace = `${home}/ws`;
  try {
    for (const folder of [".ssh", "ws", "dotfiles", "ws/docs"]) Deno.mkdirSync(`${home}/${folder}`);
    Deno.writeTextFileSync(`${home}/.ssh/id`, "KEY");
    Deno.writeTextFileSync(`${home}/dotfiles/AGENTS.md`, "rules");
    Deno.writeTextFileSync(`${workspace}/docs/AGENTS.md`, "rules");
    const links = [
      ["../.ssh/id", "ws/key.md"],
      ["../.ssh", "ws/folder"],
      ["../dotfiles/AGENTS.md", "ws/shared.md"],
      ["docs/AGENTS.md", "ws/CLAUDE.md"],
      ["ws/key.md", "mine.md"],
      [".ssh/id", "own.md"],
    ] as const;
    for (const [to, at] of links) Deno.symlinkSync(to, `${home}/${at}`);
    const place = await place_in(workspace, home);
    const refused =
      /a link in the workspace leads to what must not be read; name that file itself$/;
    for (const path of [`${workspace}/key.md`, `${workspace}/folder/id`, `${home}/mine.md`]) {
      assert.throws(() => text_given("--system", `@${path}`, place), refused);
      assert.throws(() => text_of_file("--output-schema", path, { place }), refused);
      await assert.rejects(read_images([path], place), refused);
      await assert.rejects(mcp_servers(place, { mcp_config: [path] }), refused);
    }
    for (const path of ["shared.md", "CLAUDE.md", "docs/AGENTS.md", "../dotfiles/AGENTS.md"]) {
      assert.equal(text_given("--system", `@${workspace}/${path}`, place), "rules");
    }
    for (const path of [".ssh/id", "own.md"]) {
      assert.equal(text_given("--system", `@${home}/${path}`, place), "KEY");
    }
    if (Deno.uid() === 0) {
      Deno.mkdirSync(`${home}/tmp`);
      Deno.chmodSync(`${home}/tmp`, 0o1777);
      Deno.symlinkSync("../.ssh/id", `${home}/tmp/key`);
      const of_tmp = (name: string) => text_given("--system", `@${home}/tmp/${name}`, place);
      assert.equal(of_tmp("key"), "KEY", "a link of one's own");
      lchownSync(`${home}/tmp/key`, 65534, 65534);
      // Where the kernel follows no such link at all, it says so.
      assert.throws(() => of_tmp("key"), /another user's link leads to what|denied/);
    }
    Deno.chmodSync(`${home}/dotfiles/AGENTS.md`, 0);
    if (Deno.uid() !== 0) {
      const closed = () => text_given("--system", `@${workspace}/shared.md`, place);
      assert.throws(closed, /permission denied$/);
    }
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
});
