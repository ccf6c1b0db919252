/** Pages of documents. */

/** Lines of code of a page: indented, or between fences. */
export function code_lines(text: string): string[] {
  let fenced = false;
  return text.split("\n").flatMap((line) => {
    if (/^\s*```/.test(line)) {
      fenced = !fenced;
      return [];
    }
    return fenced || /^ {4}/.test(line) ? [line] : [];
  });
}
