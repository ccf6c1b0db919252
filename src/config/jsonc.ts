/** Strips what editors allow in JSON: comments, and then commas at the end of lists. */
export function without_comments(text: string): string {
  const without = (text: string, parts: RegExp) =>
    text.replace(parts, (found) => found.startsWith('"') ? found : "");
  const bare = without(text, /"[^"\\]*(?:\\.[^"\\]*)*"|\/\/[^\n]*|\/\*[^]*?\*\//g);
  return without(bare, /"[^"\\]*(?:\\.[^"\\]*)*"|,(?=\s*[}\]])/g);
}
