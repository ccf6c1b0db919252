import assert from "node:assert/strict";
import { open_folders } from "../changes/linux_folders.ts";
import { assert_names, with_place } from "./_testing.ts";
import { led_to_by_home, named_in } from "./home.ts";
import { Named } from "./named.ts";

const HOME = "/h/u";

/** Each with what it names, `>` before what is a folder of such, `*` before what may be a folder. */
const TEXTS: readonly (readonly [text: string, places: string])[] = [
  ["source ~/w/env.sh", "/h/u/w/env.sh"],
  ['[ -f "$HOME/w/a" ] && . "$HOME/w/a"', "/h/u/w/a"],
  ['[[ -s ~/w/a ]] && \\. ~/w/a || source "${HOME}/w/b"', "/h/u/w/b"],
  ['export DOT=$HOME/w\nfor one in a b; do . "$DOT/$one"; done; source ${DOT}/c.sh', "/h/u/w/c.sh"],
  ["set -gx DOT ~/w\nsource $DOT/a.fish", "/h/u/w/a.fish"],
  ['for f in ~/w/sh/*.sh ~/w/x.sh; do source "$f"; done', ">/h/u/w/sh /h/u/w/x.sh"],
  ['for f in "$HOME"/w/*; do . "$f"; done', ">/h/u/w"],
  ['eval "$(~/w/bin/tool init bash)"', "/h/u/w/bin/tool"],
  ["PROMPT_COMMAND=~/w/prompt\nexport BASH_ENV=~/w/env", "/h/u/w/prompt /h/u/w/env"],
  [
    "~/w/greet --once\nnohup ~/w/daemon &\npython3 -u ~/w/x.py",
    "/h/u/w/greet /h/u/w/daemon /h/u/w/x.py",
  ],
  [
    "set rtp+=~/w/plugin\nPlug '~/w/other'\nso ~/w/x.vim",
    "*/h/u/w/plugin */h/u/w/other /h/u/w/x.vim",
  ],
  ["fpath=(~/w/completions $fpath)", "*/h/u/w/completions"],
  ['(load "~/w/x.el")\n(add-to-list \'load-path "~/w/lisp")', "/h/u/w/x.el */h/u/w/lisp"],
  [
    "source-file ~/w/t.conf\nset -g status-right '#(~/w/status.sh)'",
    "/h/u/w/t.conf /h/u/w/status.sh",
  ],
  ["[Service]\nExecStart=-%h/w/serve --port 1\nWorkingDirectory=%h/w", "/h/u/w/serve"],
  ["[Desktop Entry]\nExec=/h/u/w/serve %U\nIcon=/h/u/w/icon.png", "/h/u/w/serve"],
  ["$include ~/w/inputrc", "/h/u/w/inputrc"],
  // What only speaks of a place, or starts something by a name that somebody has to type.
  ["cd ~/w; alias go='~/w/go.sh'; export KUBECONFIG=~/w/kube HISTFILE=$HOME/w/history", ""],
  ["alias ..='cd ..'; cp ~/w/a.sh ~/w/b; test -f ~/w/a && echo ~/w/a; # see ~/w/notes.md", ""],
  ["source $UNKNOWN/w/a; source a.sh; . ./b; source ~other/w/a", ""],
];

for (const [text, places] of TEXTS) {
  Deno.test(`a file of the home folder starts: ${places || "nothing"}`, () => {
    const marks = { any: "*", file: "", files_in: ">" };
    const found = named_in(text, HOME).map(({ full, as }) => marks[as] + full);
    assert.equal([...new Set(found)].join(" "), places);
  });
}

Deno.test("what a crontab starts in a workspace is led to, and not what it only speaks of", () => {
  const machine = `${Deno.makeTempDirSync()}/`, top = `${Deno.realPathSync(machine)}/w`;
  try {
    for (const folder of ["etc/cron.d", "var/spool/cron/crontabs"]) {
      Deno.mkdirSync(machine + folder, { recursive: true });
    }
    const crontabs = {
      "etc/crontab": `SHELL=/bin/sh\n17 *\t* * *\troot    cd ${top} && ./run\n`,
      "etc/cron.d/a": `*/5 0-7 * jan mon-fri me ${top}/a >/dev/null 2>&1\n# 1 1 1 1 1 me ${top}/no`,
      "var/spool/cron/crontabs/me": `@reboot ${top}/b\n1 1 * * * python3 ${top}/c.py ${top}/no\n`,
      "var/spool/cron/me": `1 1 * * * cat ${top}/no > ${top}/no; cd ${top}/no; ls\n`,
    };
    for (const [file, text] of Object.entries(crontabs)) {
      Deno.writeTextFileSync(machine + file, text);
    }
    const found = led_to_by_home(`${machine}home`, [top], machine).map(({ full }) => full);
    assert.deepEqual(found, ["run", "a", "b", "c.py"].map((name) => `${top}/${name}`));
  } finally {
    Deno.removeSync(machine, { recursive: true });
  }
});

Deno.test("a text of any words takes no time", () => {
  for (const piece of ["source ", "for x in ", "a ", "$HOME/", "~/*", "exec -x ", "x=", "\n"]) {
    named_in(piece.repeat(60_000 / piece.length), HOME);
  }
});

const SETUP =
  `git init -q .; mkdir -p conf units lib plugin; for f in env.sh more.sh conf/a.fish conf/ls lib/one.sh lib/two.sh serve hook old plugin/x.lua unrelated; do echo a > $f; done
cd ../home; mkdir -p .config/fish/conf.d .config/systemd/user .config/nvim/pack/me/start bin .githooks dot
echo 'source ~/dot/rc; [ -f ~/../work/new.sh ] && . ~/../work/new.sh' > .bashrc; echo '. ~/../work/env.sh; cd ~/../work; alias x=~/../work/unrelated' > dot/rc
printf 'L=$HOME/../work/lib\\nfor f in $L/*.sh; do . "$f"; done\\nif [ -d ~/../work/plugin ]; then cd ~/../work/plugin; fi\nplugins=(\n git dotenv)' > .zshrc
ln -s ../../../../work/conf/a.fish .config/fish/conf.d/a.fish; ln -s ../../work/conf/ls bin/ls; ln -s ../../work/conf/ls bin/mytool
printf '[Service]\\nExecStart=%%h/../work/serve\\n' > .config/systemd/user/x.service
ln -s ../../work/hook .githooks/post-checkout; git config -f .gitconfig core.hooksPath '~/.githooks'
ln -s ../../../../../../work/plugin .config/nvim/pack/me/start/p
mkdir -p .ssh .gnupg .aws .local/share/{gnome-shell/extensions,dbus-1/services}; for f in ssh gpg aws ext/extension.js bus; do mkdir -p ../work/dot/ext; echo a > ../work/dot/$f; done
ln -s ../../work/dot/ssh .ssh/config; ln -s ../../work/dot/gpg .gnupg/gpg-agent.conf; ln -s ../../work/dot/aws .aws/credentials
ln -s ../../../../../work/dot/ext .local/share/gnome-shell/extensions/e; printf '[D-BUS Service]\nExec=%s/dot/bus\n' "$(cd ../work; pwd)" > .local/share/dbus-1/services/x.service`;

for (
  const [command, names] of [
    ["echo b > env.sh; echo b > new.sh", "env.sh, new.sh"],
    [
      "echo b > lib/one.sh; echo b > lib/three.sh; mkdir lib/sub; echo b > lib/sub/x",
      "lib/one.sh, lib/three.sh",
    ],
    [
      "echo b > conf/a.fish; echo b > serve; echo b > plugin/x.lua",
      "conf/a.fish, plugin/x.lua, serve",
    ],
    ["chmod +x conf/ls hook", "conf/ls, hook"],
    [
      "for f in ssh gpg aws ext/extension.js bus; do echo b > dot/$f; done",
      "dot/bus, dot/ext/extension.js, dot/gpg, dot/ssh",
    ],
    ["rm env.sh", "env.sh"],
    ["echo 'A=$(b)' > .env", ".env"],
    [
      "echo b > env.sh.zwc; echo b > lib/two.sh.zwc; echo b > more.sh.zwc; echo b > usercustomize.py",
      "env.sh.zwc, lib/two.sh.zwc, usercustomize.py",
    ],
    ["echo b > more.sh; echo b > old; echo b > unrelated; mkdir new.sh; echo b > new.sh/a", null],
  ] as const
) {
  Deno.test(`what the home folder starts in a workspace is named: ${names ?? "nothing"}`, () =>
    with_place(SETUP, async ({ watch, policy, root }) => {
      const { step, guarded, sights } = await watch();
      const env = { ...policy.env, PATH: `${root}/home/bin:${policy.env["PATH"]}` };
      const named = new Named({ ...policy, env }, {
        raw: open_folders(),
        sights,
        saved: guarded.saved,
      });
      named.see();
      await step(command);
      assert_names(named, names);
    }));
}
