/** Limits on each program: the size of a file, core dumps, how many processes. */
import assert from "node:assert/strict";
import { as_nobody, NOBODY } from "./support/nobody.ts";
import { asleep, gone, inside_stage, mark, open_stage, steps, tools } from "./support/stage.ts";

const on_linux = Deno.build.os === "linux";
const is_root = on_linux && Deno.uid() === 0;
const TEN_GIB = 10 * 2 ** 30;

const bash = (command: string) => ["bash", { command }] as [string, { command: string }];

Deno.test({
  name: "a file cannot grow past a limit, which no child can raise; and nobody dumps core",
  ignore: !on_linux,
  async fn() {
    const script = steps(
      bash("ulimit -Hf; ulimit -f; ulimit -Hc; ulimit -c"),
      bash(
        "ulimit -f unlimited; ulimit -c unlimited; ulimit -c 0; grep core /proc/self/limits; " +
          "sh -c 'ulimit -f 20971521; ulimit -f'",
      ),
      bash(`truncate -s ${TEN_GIB} most && stat -c %s most; truncate -s ${TEN_GIB + 1} more`),
      bash("ulimit -f 8; head -c 1000000 /dev/zero > small; stat -c %s small"),
      bash("perl -e 'kill ABRT => $$'; ls core* 2>&1"),
    );
    await inside_stage({ script }, async (s) => {
      const { texts } = await tools(s);
      const blocks = TEN_GIB / 1024;
      assert.equal(texts[0], `${blocks}\n${blocks}\n0\n0`);
      assert.match(texts[1] ?? "", /ulimit: file size: cannot modify limit: /);
      // At one byte the kernel starts no handler of crashes either (core_pattern), as it does at none.
      assert.match(texts[1] ?? "", /^Max core file size +1 +1 +bytes/m);
      assert.doesNotMatch(texts[1] ?? "", /^20971521$/m);
      assert.match(texts[2] ?? "", new RegExp(`^${TEN_GIB}\n(?:.*\n)*.*larger than 10 GiB`));
      assert.equal(Deno.statSync(s.ws.at("more")).size, 0);
      assert.match(texts[3] ?? "", /File size limit exceeded.*\n8192$/m);
      assert.doesNotMatch(texts[4] ?? "", /^core[.\d]*$/m);
    });
  },
});

Deno.test({
  name: "a user's processes cannot become without number, and are ended with the run",
  ignore: !is_root,
  async fn() {
    const seconds = mark();
    // So few, to be kind to the machine; the program's own threads count as well.
    const fork = `perl -e '
      my $n = 0;
      while (defined(my $pid = fork)) { exec "sleep", ${seconds} if $pid == 0; $n++ }
      print "$n, then: $!\\n"'`;
    const script = steps(
      bash("id -u; ulimit -Hu; cut -d/ -f2 /proc/loadavg | cut -d' ' -f1"),
      bash("ulimit -u unlimited"),
      bash(`ulimit -u 200; ${fork}`),
    );
    await open_stage({ script }, async (s) => {
      const run = await s.hamr(["run", "--verify", "true", "--json", "Do it."], await as_nobody(s));
      assert.equal(run.code, 0, run.stderr);
      const [limits = "", raised = "", forked = ""] = s.server.results();
      const [user, most, tasks] = limits.split("\n").map(Number);
      assert.equal(user, NOBODY);
      assert.ok(most! > 4096 && most! < tasks! + 2 * 4096, limits);
      assert.match(raised, /max user processes: cannot modify limit: Operation not permitted/);
      const many = Number(/^(\d+), then: Resource temporarily unavailable/m.exec(forked)?.[1]);
      assert.ok(many > 50 && many < 200, forked);
      await gone(seconds);
      assert.ok(!asleep(seconds));
    });
  },
});
