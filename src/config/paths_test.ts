import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import { ConfigError } from "./error.ts";
import {
  type Environ,
  is_inside,
  is_same_place,
  paths,
  real_or,
  real_or_null,
  workspace_dir,
  workspace_file,
} from "./paths.ts";

Deno.test("paths() follows HAMR_HOME, then XDG, then HOME, then nothing", () => {
  const cases: [Environ, string | null, string | null][] = [
    [{ HAMR_HOME: "/h/", HOME: "/u" }, "/h/config.toml", "/h"],
    [{ HOME: "/u" }, "/u/.config/hamr/config.toml", "/u/.local/share/hamr"],
    [{ HOME: "/u", HAMR_HOME: "" }, "/u/.config/hamr/config.toml", "/u/.local/share/hamr"],
    [
      { HOME: "/u", XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d/" },
      "/c/hamr/config.toml",
      "/d/hamr",
    ],
    [{ HOME: "/u", XDG_CONFIG_HOME: "rel" }, "/u/.config/hamr/config.toml", "/u/.local/share/hamr"],
    [{ HOME: "/" }, "/.config/hamr/config.toml", "/.local/share/hamr"],
    [{ XDG_DATA_HOME: "/d" }, null, "/d/hamr"],
    [{ HOME: "" }, null, null],
    [{}, null, null],
  ];
  for (const [environ, config_file, data_dir] of cases) {
    const { system_files: _, ...own } = paths(environ);
    deepStrictEqual(own, { config_file, data_dir }, JSON.stringify(environ));
  }
  // It would make the `.hamr` of whatever folder one is in one's own.
  throws(() => paths({ HAMR_HOME: ".hamr" }), /HAMR_HOME must be an absolute path, not \.hamr/);
});

Deno.test("paths() names the machine's files as XDG orders its folders, and none beside HAMR_HOME", () => {
  const cases: [Environ, readonly string[]][] = [
    [{}, ["/etc/xdg/hamr/config.toml"]],
    [{ XDG_CONFIG_DIRS: "" }, ["/etc/xdg/hamr/config.toml"]],
    [{ XDG_CONFIG_DIRS: "/a:rel:/b/" }, ["/b/hamr/config.toml", "/a/hamr/config.toml"]],
    [{ XDG_CONFIG_DIRS: "rel" }, []],
    [{ XDG_CONFIG_DIRS: "/a", HAMR_HOME: "/h" }, []],
  ];
  for (const [environ, files] of cases) {
    deepStrictEqual(paths(environ).system_files, files, JSON.stringify(environ));
  }
});

Deno.test("workspace_dir() is a real path, or an error of one line", () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.mkdirSync(`${root}/real`);
    Deno.symlinkSync(`${root}/real`, `${root}/link`);
    Deno.writeTextFileSync(`${root}/file`, "");
    strictEqual(workspace_dir(`${root}/link`), `${root}/real`);
    strictEqual(workspace_dir(), Deno.realPathSync("."));
    strictEqual(workspace_file(`${root}/`), `${root}/.hamr/config.toml`);
    for (const bad of ["missing", "file", "file/x", "no\nline"]) {
      throws(() => workspace_dir(`${root}/${bad}`), (error) => {
        match(String(error), /^ConfigError: -C .*must be an existing folder$/);
        return error instanceof ConfigError;
      });
    }
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("is_inside() goes by whole names, and the top of the disk holds everything", () => {
  const cases: [path: string, folder: string, boolean][] = [
    ["/a", "/a", true],
    ["/a/b/c", "/a", true],
    ["/ab", "/a", false],
    ["/a", "/a/b", false],
    ["/", "/a", false],
    ["/a", "/", true],
    ["/", "/", true],
  ];
  for (const [path, folder, expected] of cases) {
    strictEqual(is_inside(path, folder), expected, `${path} in ${folder}`);
  }
});

Deno.test("two paths are the same place where links lead them to one, and nowhere is no place", () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.writeTextFileSync(`${root}/file`, "");
    Deno.symlinkSync(`${root}/file`, `${root}/link`);
    Deno.symlinkSync(`${root}/none`, `${root}/dangling`);
    strictEqual(real_or_null(`${root}/link`), `${root}/file`);
    for (const gone of ["none", "dangling", "file/x"]) {
      strictEqual(real_or_null(`${root}/${gone}`), null, gone);
      strictEqual(real_or(`${root}/${gone}`), `${root}/${gone}`, gone);
      strictEqual(is_same_place(`${root}/${gone}`, `${root}/${gone}`), false, gone);
      strictEqual(is_same_place(`${root}/file`, `${root}/${gone}`), false, gone);
    }
    strictEqual(is_same_place(`${root}/link`, `${root}/file`), true);
    strictEqual(is_same_place(root, `${root}/file`), false);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
