import { open_folders } from "../changes/raw.ts";
import { assert_names, with_place } from "./_testing.ts";
import { Named } from "./named.ts";

const SETUP = "git init -q .; mkdir app; echo A=1 > .env; echo A=1 > app/.env";

/** What a `.env` is changed to, and whether that starts something. */
const CASES: readonly (readonly [command: string, names: string | null])[] = [
  [
    String
      .raw`printf 'APP_NAME=My App\n# run $(x)\nexport URL="https://u:p@h/?a=1&b=2"\nENV=production\nBROWSER=none\nNODE_OPTIONS=--max-old-space-size=4096\nGIT_COMMIT=1\nKEY='"'"'a$(b'"'"'\nMY_PATH=/x\n' > .env; echo x > app/.env.example`,
    null,
  ],
  [
    "echo LD_PRELOAD=./x.so >> .env; echo ' export PATH = bin' > app/.env.local",
    ".env, app/.env.local",
  ],
  [
    "echo 'NODE_OPTIONS=\"--require ./x.js\"' >> app/.env; echo 'A=$(./x)' > .env",
    ".env, app/.env",
  ],
  ["echo GIT_SSH_COMMAND=./x > .env; echo PYTHONSTARTUP=x.py > app/.env", ".env, app/.env"],
  ["echo 'A=1 ./x' > .env; echo dotenv > .envrc", ".env, .envrc"],
  [
    `echo '{"import":["./x.cjs"]}' > cspell.json; echo '{"words":["a"],"imports":[]}' > .cspell.json; echo 'reporters: [./x]' > cspell.config.yml; mkdir -p .hg/store .dvc .godot; tee .hg/store/journal.backupfiles .dvc/config.local .godot/extension_list.cfg uv.toml < .env`,
    ".dvc/config.local, .godot/extension_list.cfg, .hg/store/journal.backupfiles, cspell.config.yml, cspell.json, uv.toml",
  ],
  [
    "rm .env; mkdir -p .agents/skills/a; echo x > .agents/skills/a/SKILL.md; echo x > .agents/notes",
    ".agents/skills/a/SKILL.md",
  ],
];

for (const [command, names] of CASES) {
  Deno.test(`variables that start something are named, and no others: ${command}`, () =>
    with_place(SETUP, async ({ watch, policy }) => {
      const { step, guarded, sights } = await watch();
      const named = new Named(policy, { raw: open_folders(), sights, saved: guarded.saved });
      named.see();
      await step(command);
      assert_names(named, names);
    }));
}
