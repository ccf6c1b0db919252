/** What could not be done, told in words of one's own: it ends at once, whatever else there is to say. */
import { type Answered, type Did, files, ran, read, refused } from "./_did.ts";

/** What was asked for, what was tried, and what the answer says. */
type Row = readonly [task: string, did: readonly Did[], says: string];

const NOT_DONE: readonly Row[] = [
  [
    "Open a PR",
    [refused("bash")],
    "I couldn't open the PR: pushing is refused in this run. The branch is ready; run `git push -u origin fix/x && gh pr create` yourself.",
  ],
  [
    "Push the branch",
    [refused("bash")],
    "I wasn't allowed to push. Everything is committed locally on `fix/login`; `git push -u origin fix/login` does the rest.",
  ],
  [
    "Install ripgrep",
    [ran("apt-get install ripgrep", 100)],
    "I couldn't install ripgrep: there's no network in this sandbox. `grep -rn` is a substitute for what you want.",
  ],
  [
    "Deploy it",
    [refused("bash")],
    "I couldn't deploy: pushing is refused here. The image is built; run `make deploy` yourself.",
  ],
  [
    "Edit /etc/hosts so that api.local points to 127.0.0.1",
    [refused("write")],
    "I'm not able to edit `/etc/hosts`: it is outside the workspace. Add this line yourself:\n\n    127.0.0.1 api.local",
  ],
  [
    "Apply the patch in fix.patch",
    [ran("git apply fix.patch", 1)],
    "The patch doesn't apply: hunk 2 of `a.c` expects a line that was removed in `b7c8d9e`. Nothing was changed.",
  ],
  [
    "Start a new Vite project here",
    [ran("npm create vite@latest . -- --template react-ts", 1)],
    "That needs the npm registry, which can't be reached from this sandbox. With `--allow-net` I could do it.",
  ],
];

/** Nothing is claimed; the findings are reported. */
const ANSWERED: readonly Row[] = [
  [
    "Publish the package",
    [ran("npm pack", 0, files("x.tgz")), refused("bash")],
    "Publishing is refused here, so I only packed it: `x.tgz` is ready to be published with `npm publish x.tgz`.",
  ],
  [
    "Check if all links in README work",
    [read("README.md")],
    "I can't reach the web from here. The relative links all point to files that exist; the seven external ones are unchecked.",
  ],
];

export const TOLD_FAILURES: readonly Answered[] = [
  ...NOT_DONE.map(([task, did, says]) => ({ task, did, says, ends: "not_done" as const })),
  ...ANSWERED.map(([task, did, says]) => ({ task, did, says })),
];
