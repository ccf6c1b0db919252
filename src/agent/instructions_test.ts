import assert from "node:assert/strict";
import { instructions, own_instructions } from "./instructions.ts";

/** Files in a folder of their own; links are written `-> TARGET`. */
function in_files(files: Readonly<Record<string, string>>, body: (root: string) => void): void {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    for (const [name, text] of Object.entries(files)) {
      const path = `${root}/${name}`;
      Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      if (text.startsWith("-> ")) Deno.symlinkSync(text.slice(3), path);
      else Deno.writeTextFileSync(path, text);
    }
    body(root);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

const told = (root: string, at: string) =>
  instructions(`${root}/${at}`, null).map(({ file, text }) => [file.replace(root, "R"), text]);

Deno.test("instructions() are those from the repository's root down, the nearest last, one a folder", () => {
  const files = {
    "AGENTS.md": "above the repository",
    "repo/.git/HEAD": "",
    "repo/AGENTS.md": "root",
    "repo/CLAUDE.md": "not this",
    "repo/a/GEMINI.md": "a",
    "repo/a/b/.github/copilot-instructions.md": "b",
    "repo/c/AGENTS.md": "beside",
    "repo/d/AGENTS.md": " \n",
    "repo/d/CLAUDE.md": "d",
  };
  in_files(files, (root) => {
    assert.deepEqual(told(root, "repo/a/b"), [
      ["R/repo/AGENTS.md", "root"],
      ["R/repo/a/GEMINI.md", "a"],
      [".github/copilot-instructions.md", "b"],
    ]);
    assert.deepEqual(told(root, "repo"), [["AGENTS.md", "root"]]);
    assert.deepEqual(told(root, "repo/d"), [["R/repo/AGENTS.md", "root"], ["CLAUDE.md", "d"]]);
    Deno.removeSync(`${root}/repo/.git`, { recursive: true });
    assert.deepEqual(told(root, "repo/a"), [["GEMINI.md", "a"]]);
  });
});

Deno.test("instructions() are read in the encoding that their mark names", () => {
  in_files({ "AGENTS.md": "" }, (root) => {
    const pairs = [..."\ufeffÄ 世"].map((char) => char.charCodeAt(0)).map((
      unit,
    ) => [unit & 255, unit >> 8]);
    for (const bytes of [pairs.flat(), pairs.flatMap(([low, high]) => [high!, low!])]) {
      Deno.writeFileSync(`${root}/AGENTS.md`, Uint8Array.from(bytes));
      assert.deepEqual(instructions(root, null), [{ file: "AGENTS.md", text: "Ä 世" }]);
    }
  });
});

Deno.test("instructions() take 8 kB in all, the nearest first, and say of longer ones how to read on", () => {
  const files = {
    ".git/HEAD": "",
    "AGENTS.md": "r".repeat(6000),
    "a/AGENTS.md": "n".repeat(6000),
  };
  in_files(files, (root) => {
    const [far, near] = instructions(`${root}/a`, null);
    assert.equal(near?.text, "n".repeat(6000));
    assert.match(far?.text ?? "", /^r{2192}\n\[AGENTS\.md is longer; read it\]$/);
    const own = { file: "x", text: "o".repeat(4000) };
    assert.match(instructions(`${root}/a`, own).at(-1)?.text ?? "", /^n{4192}\n\[AGENTS\.md is/);
  });
});

Deno.test("instructions() hold the files that they name, inside the repository and no others", () => {
  const files = {
    "outside.md": "outside",
    "repo/.git/HEAD": "",
    "repo/.git/notes.md": "git's",
    "repo/.env": "SECRET=1",
    "repo/docs/style.md": "style, see\n@more.md",
    "repo/docs/more.md": "more\n@more.md",
    "repo/link.md": "-> ../outside.md",
    "repo/AGENTS.md":
      "Read\n@docs/style.md\nand @docs/style.md\n@.env\n@../outside.md\n@link.md\n@.git/notes.md\n@gone.md",
  };
  in_files(files, (root) => {
    const [[, text] = []] = told(root, "repo");
    assert.equal(
      text,
      "Read\nstyle, see\nmore\nmore\n@more.md\nand @docs/style.md\n@.env\n@../outside.md\n@link.md\n@.git/notes.md\n@gone.md",
    );
  });
});

Deno.test("own_instructions() are the user's, through a link too", () => {
  in_files({ "real.md": "mine", "hamr/AGENTS.md": "-> ../real.md" }, (root) => {
    assert.deepEqual(own_instructions(`${root}/hamr`), {
      file: `${root}/hamr/AGENTS.md`,
      text: "mine",
    });
    assert.equal(own_instructions(`${root}/none`), null);
    assert.equal(own_instructions(null), null);
  });
});

Deno.test("instructions() leaves a repository around the workspace alone that is somebody else's", () => {
  if (Deno.build.os === "windows" || Deno.uid() !== 0) {
    const skip = "SKIP another's repository: only root can make one\n";
    return void Deno.stderr.writeSync(new TextEncoder().encode(skip));
  }
  const files = { ".git/HEAD": "", "AGENTS.md": "theirs", "ws/AGENTS.md": "own" };
  in_files(files, (root) => {
    const own: [string, string] = ["AGENTS.md", "own"],
      above: [string, string] = ["R/AGENTS.md", "theirs"];
    assert.deepEqual(told(root, "ws"), [above, own]);
    Deno.chownSync(`${root}/.git`, 65534, 65534);
    assert.deepEqual(told(root, "ws"), [own]);
    // As in a container that runs as root on the files of a user.
    Deno.chownSync(`${root}/ws`, 65534, 65534);
    assert.deepEqual(told(root, "ws"), [above, own]);
  });
});

Deno.test("instructions() tell of files outside the workspace only what commands may read", () => {
  const files = {
    "repo/.git/HEAD": "",
    "repo/AGENTS.md": "root",
    "repo/denied/a.md": "denied",
    "repo/docs/b.md": "b",
    "repo/sub/AGENTS.md": "@../denied/a.md\n@../docs/b.md\n@link.md\n@own.md",
    "repo/sub/link.md": "-> ../denied/a.md",
    "repo/sub/own.md": "own",
  };
  in_files(files, (root) => {
    const may_read = (real: string) => real === `${root}/repo/docs/b.md`;
    const found = instructions(`${root}/repo/sub`, null, { may_read });
    assert.deepEqual(found.map(({ text }) => text), [
      "root",
      "@../denied/a.md\nb\n@link.md\nown",
    ]);
  });
});
