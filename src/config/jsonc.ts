/** JSON as editors have it: with comments, and then with commas at the end of lists. Gives it without them. */
export function without_comments(text: string): string {
  const without = (text: string, parts: RegExp) =>
    text.replace(parts, (found) => found.startsWith('"') ? found : "");
  const bare = without(text, /"[^"\\]*(?:\\.[^"\\]*)*"|\/\/[^\n]*|\/\*[^]*?\*\//g);
  return without(bare, /"[^"\\]*(?:\\.[^"\\]*)*"|,(?=\s*[}\]])/g);
}
