import assert from "node:assert/strict";
import { with_home } from "./_home.ts";

Deno.test("Maven gets the settings that commands may not read, without what opens something", () => {
  with_home((h) => {
    h.write(
      `${h.home}/.m2/settings.xml`,
      "<settings><mirrors><url>https://me:secret-1@host/x</url></mirrors>" +
        "<servers><server><id>a</id><password>secret-2</password></server></servers>" +
        "<proxy><password>secret-3</password></proxy></settings>",
    );
    assert.deepEqual(h.of().files, [], "they can be read");
    const { env, files } = h.of({ deny_read: [`${h.home}/.m2/settings.xml`] });
    const [file] = files;
    assert.ok(file !== undefined && file.path.endsWith("/maven/.m2/settings.xml"));
    assert.equal(
      file.text,
      "<settings><mirrors><url>https://host/x</url></mirrors><proxy></proxy></settings>",
    );
    assert.ok(env["MAVEN_ARGS"]?.startsWith(`-s ${file.path} `));
    assert.ok(
      env["MAVEN_OPTS"]?.endsWith(` -Duser.home=${file.path.replace("/.m2/settings.xml", "")}`),
    );
  });
});

/** Settings of a tool, and what of them commands get. */
const SETTINGS: Readonly<Record<string, readonly [variable: string, text: string, left: string]>> =
  {
    ".npmrc": [
      "npm_config_userconfig",
      "//npm.example.com/:_authToken=secret-1\n@me:registry=https://me:secret-2@npm.example.com\n" +
      "_auth = secret-3\nsave-exact=true\n; note\nkey=secret-4\nemail=a@b.c\n//x/:username=secret-5\n" +
      '"key" = secret-6\nkey[]=secret-7\nproxy = me:secret-8@p:3128\nhttps-proxy=http://me:se@cret-9@p:1/\n',
      "@me:registry=https://npm.example.com\nsave-exact=true\n; note\n" +
      "proxy = p:3128\nhttps-proxy=http://p:1/\n",
    ],
    ".config/pip/pip.conf": [
      "PIP_CONFIG_FILE",
      "[global]\nindex-url = https://me:secret@pip.example.com/simple\nclient-cert = /x\ntimeout = 5\n",
      "[global]\nindex-url = https://pip.example.com/simple\ntimeout = 5\n",
    ],
    ".bundle/config": [
      "BUNDLE_USER_CONFIG",
      '---\nBUNDLE_GEMS__EXAMPLE__COM: me:secret\nBUNDLE_JOBS: "4"\nBUNDLE_PATH: vendor\n' +
      "BUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/: https://me:secret@x.example.com/\nBUNDLE_FROZEN: true\n" +
      '"BUNDLE_A__EXAMPLE": me:secret\nBUNDLE_GEM__FURY__IO: >\n  secret\n',
      '---\nBUNDLE_JOBS: "4"\nBUNDLE_PATH: vendor\n' +
      "BUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/: https://x.example.com/\nBUNDLE_FROZEN: true\n",
    ],
  };

Deno.test("npm, pip and Bundler get their settings without what opens something", () => {
  with_home((h) => {
    for (const [name, [variable, text, left]] of Object.entries(SETTINGS)) {
      const theirs = `${h.home}/${name}`;
      h.write(theirs, text);
      assert.ok(!(variable in h.of().env), "they can be read");
      const { env, files } = h.of({ deny_read: [theirs] });
      assert.deepEqual(files, [{ path: env[variable], text: left }], name);
      const passed = h.of({ deny_read: [theirs], env: { HOME: h.home, [variable]: "/own" } });
      assert.ok(!(variable in passed.env) && passed.files.length === 0, "the user's own");
      Deno.removeSync(theirs);
    }
  });
});

Deno.test("Maven finds the repository of the settings; names with blanks it could not take", () => {
  with_home((h) => {
    h.put(".m2/repository/", "repo/");
    const tail = (path: string) =>
      `-Dmaven.repo.local=${h.cache}/maven -Dmaven.repo.local.tail=${h.home}/${path}`;
    assert.equal(h.of().env["MAVEN_ARGS"], tail(".m2/repository"));
    h.write(
      `${h.home}/.m2/settings.xml`,
      "<settings><!-- <localRepository>/no</localRepository> -->\n" +
        "<localRepository>${user.home}/repo</localRepository></settings>",
    );
    assert.equal(h.of().env["MAVEN_ARGS"], tail("repo"));
    const { env } = h.of({ cache: "/a b/cache", tmp: "/a b/tmp" });
    for (const name of ["MAVEN_ARGS", "MAVEN_OPTS", "JAVA_TOOL_OPTIONS"]) {
      assert.ok(!(name in env), name);
    }
  });
});
