import assert from "node:assert/strict";
import { linux_libc } from "../sandbox/kernel/libc.ts";
import { same_state } from "../store/file_state.ts";
import { open_folders } from "./linux_folders.ts";
import { file_state } from "./read_state.ts";
import { ChangedSince, take_place } from "./replace_file.ts";

/** What a person, or their editor, does after the look and before the name is given. */
const MEANWHILE: Readonly<Record<string, readonly [before: string | null, done: string]>> = {
  "a save in place": ["run", "echo person > f"],
  "a save by another file and its name": ["run", "echo person > g; mv g f"],
  "a link in its place": ["run", "ln -sf /etc/passwd f"],
  "another mode": ["run", "chmod 755 f"],
  "a new file": [null, "echo person > f"],
  "a removal": ["run", "rm f"],
};

const raw = open_folders();
const libc = linux_libc();
const on_linux = Deno.build.os === "linux";

function in_folder(work: (at: (name: string) => string, sh: (line: string) => string) => void) {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  const sh = (line: string) => {
    const { stdout } = new Deno.Command("/bin/sh", { args: ["-c", line], cwd: folder })
      .outputSync();
    return new TextDecoder().decode(stdout);
  };
  try {
    work((name) => `${folder}/${name}`, sh);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** None: on another system. */
const CALLS = { "this system's calls": libc, "none": null };

for (const [name, [before, done]] of Object.entries(MEANWHILE)) {
  for (const [what, own] of Object.entries(CALLS)) {
    Deno.test({
      name: `what a person does in the moment of an undo stays, with ${what}: ${name}` +
        (on_linux ? "" : " (NOT TESTED HERE: takes Linux)"),
      ignore: !on_linux,
      fn: () =>
        in_folder((at, sh) => {
          if (before !== null) Deno.writeTextFileSync(at("f"), before);
          const seen = file_state(raw, at("f"));
          const is_seen = seen && (() => same_state(file_state(raw, at("f")), seen));
          sh(done);
          const all = () => sh("ls -lA --time-style=+ f 2>&1; cat f 2>&1");
          const as_left = all();
          Deno.writeTextFileSync(at("made"), "original");
          const how = { libc: own, is_seen };
          assert.throws(() => take_place(at("made"), at("f"), how), ChangedSince);
          assert.equal(all(), as_left);
          assert.equal(Deno.readTextFileSync(at("made")), "original");
        }),
    });
  }
}

for (const [what, own] of Object.entries(CALLS)) {
  Deno.test(`a file takes its place, with ${what}`, () =>
    in_folder((at) => {
      for (const before of ["run", null]) {
        if (before !== null) Deno.writeTextFileSync(at("f"), before);
        else Deno.removeSync(at("f"));
        Deno.writeTextFileSync(at("made"), "original");
        const is_seen = before === null ? null : () => true;
        take_place(at("made"), at("f"), { libc: own, is_seen });
        assert.equal(Deno.readTextFileSync(at("f")), "original");
        assert.deepEqual([...Deno.readDirSync(at("."))].map(({ name }) => name), ["f"]);
      }
    }));
}
