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

/** `commands`: those there are, asked for at each `/`; `files`: the paths of the workspace, or below a folder of it, at each `@`, and further ones where it was not the `whole`; `columns`: of the window. */
export function completion_provider(
  commands: () => readonly ChatCommandName[],
  files: (below: string) => { readonly files: readonly string[]; readonly whole: boolean },
  columns: () => number,
): AutocompleteProvider {
  let whole = true;
  const paths = (below: string) => {
    const looked = files(below);
    whole &&= looked.whole;
    return looked.files;
  };
  const now = (lines: readonly string[], row: number, column: number) =>
    suggestions((lines[row] ?? "").slice(0, column), row, [commands, paths, columns]);
  return {
    async getSuggestions(lines, row, column, { signal }) {
      for (;;) {
        whole = true;
        const found = now(lines, row, column);
        if (found !== null || whole || signal.aborted) return found;
        // Keys are read in between.
        await new Promise((resolve) => setTimeout(resolve));
      }
    },
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

function suggestions(before: string, row: number, [commands, files, columns]: [
  () => readonly ChatCommandName[],
  (below: string) => readonly string[],
  () => number,
]): AutocompleteSuggestions | null {
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
    return path === "" ? all : nearest_first(fuzzyFilter(all, path, (file) => file), path);
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

/** Whole names, then beginnings of names, then what stands in the path as it was typed: the library prefers letters that come early. */
function nearest_first(files: readonly string[], typed: string): readonly string[] {
  const wanted = `/${typed}`.toLowerCase();
  const ranked = Object.groupBy(files, (file) => {
    const path = `/${file}`.toLowerCase();
    const at = path.lastIndexOf(wanted);
    if (at < 0) return path.includes(wanted.slice(1)) ? 2 : 3;
    const behind = path.slice(at + wanted.length);
    return behind === "" || /^\.[^/]*$/.test(behind) ? 0 : behind.includes("/") ? 2 : 1;
  });
  return ([0, 1, 2, 3] as const).flatMap((rank) => ranked[rank] ?? []);
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
