/** What `git apply` takes: without the line before each file, which is for a model. */
export function patch_of(diff: string): string {
  return diff === ""
    ? ""
    : `${diff.replace(/^(?:added|modified|deleted) .*\n(?=diff --git )/gm, "")}\n`;
}
