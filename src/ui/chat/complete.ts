/** Completion in a chat: commands after `/`, files of the workspace after `@`. */
import {
  type AutocompleteItem,
  type AutocompleteProvider,
  type AutocompleteSuggestions,
  fuzzyFilter,
  visibleWidth,
} from "@earendil-works/pi-tui";
import { line } from "../text.ts";

export interface ChatCommandName {
  readonly name: string;
  readonly help: string;
}

const MOST_FILES = 30;
/** Columns of the library's list: of the names, behind them, and left and right of all. */
const LEAST = 12, MOST = 32, GAP = 2, SIDES = 4;
/** A name with one of these can't be typed, and would steer a terminal. */
const CONTROL = /[\p{Cc}\p{Cf}]/u;

/** `commands`: those there are, asked for at each `/`; `files`: the paths of the workspace, or below a folder of it, at each `@`; `columns`: of the window. */
export function completion_provider(
  commands: () => readonly ChatCommandName[],
  files: (below: string) => readonly string[],
  columns: () => number,
): AutocompleteProvider {
  const now = (lines: readonly string[], row: number, column: number) =>
    suggestions((lines[row] ?? "").slice(0, column), row, [commands, files, columns]);
  return {
    getSuggestions: (lines, row, column) => Promise.resolve(now(lines, row, column)),
    applyCompletion(lines, row, column, listed, prefix) {
      const text = lines[row] ?? "";
      // Keys that come together are read before the list is up to date.
      const typed = now(lines, row, column);
      if (typed === null) return { lines, cursorLine: row, cursorCol: column };
      const item = typed.prefix === prefix ? listed : selected(typed);
      const start = column - typed.prefix.length;
      const value = `${item.value} `;
      return {
        lines: lines.with(row, text.slice(0, start) + value + text.slice(column)),
        cursorLine: row,
        cursorCol: start + value.length,
      };
    },
  };
}

function suggestions(
  before: string,
  row: number,
  [commands, files, columns]: Parameters<typeof completion_provider>,
): AutocompleteSuggestions | null {
  const [command] = row === 0 ? /^\/\S*$/.exec(before) ?? [] : [];
  if (command !== undefined) {
    const items = commands().map(({ name, help }) => ({
      value: `/${name}`,
      label: `/${name}`,
      description: help,
    }));
    const fitting = items.filter(({ value }) => value.startsWith(command) && !CONTROL.test(value));
    return some(cut_at_edge(fitting, columns()), command);
  }
  const [prefix, quoted, bare = ""] = /(?<=^|\s)@(?:"([^"]*)|(\S*))$/.exec(before) ?? [];
  if (prefix === undefined) return null;
  const path = quoted ?? bare;
  // Of many files not all are listed: a folder that is there is looked through by itself.
  const [folder = ""] = /^(?!\.{0,2}\/).*\//.exec(path) ?? [];
  const fitting = (below: string) => {
    const all = files(below).filter((file) => !CONTROL.test(file));
    return path === "" ? all : fuzzyFilter(all, path, (file) => file);
  };
  const inside = folder === "" ? [] : fitting(folder);
  const found = inside.length > 0 ? inside : fitting("");
  return some(
    found.slice(0, MOST_FILES).map((file) => ({
      value: /\s/.test(file) ? `@"${file}"` : `@${file}`,
      label: file,
    })),
    prefix,
  );
}

/** The library's list would cut them without a mark. */
function cut_at_edge(items: readonly AutocompleteItem[], columns: number): AutocompleteItem[] {
  const widest = Math.max(0, ...items.map(({ label }) => visibleWidth(label)));
  const names = Math.min(Math.max(widest + GAP, LEAST), MOST);
  const room = Math.max(1, columns - names - SIDES);
  return items.map((item) => ({
    ...item,
    description: line(item.description ?? "", room),
  }));
}

function selected({ items, prefix }: AutocompleteSuggestions): AutocompleteItem {
  return items.find(({ value }) => value === prefix) ??
    items.find(({ value }) => value.startsWith(prefix)) ?? items[0]!;
}

function some(items: AutocompleteItem[], prefix: string): AutocompleteSuggestions | null {
  return items.length === 0 ? null : { items, prefix };
}
