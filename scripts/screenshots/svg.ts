/** What a terminal shows, as an image. */
import { visibleWidth } from "@earendil-works/pi-tui";

/** Pixels of a cell of 14 pixels' text, and around all of it. */
const CELL = { width: 8.4, height: 18 }, EDGE = 12;
const BACKGROUND = "#1e1e1e", TEXT = "#d4d4d4";
const COLORS: Readonly<Record<number, string>> = {
  ...{ 30: "#3b3b3b", 31: "#f14c4c", 32: "#23d18b", 33: "#e5e510", 34: "#3b8eea", 35: "#d670d6" },
  ...{ 36: "#29b8db", 37: "#e5e5e5" },
};

interface Look {
  readonly color: string;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly turned: boolean;
}

const PLAIN: Look = { color: TEXT, bold: false, dim: false, turned: false };

/** An SVG of what `tmux capture-pane -p -e` gives. */
export function svg_of(screen: string, columns: number): string {
  const rows = screen.trimEnd().split("\n");
  let look = PLAIN;
  const drawn = rows.map((row, nth) => {
    let at = 0;
    const y = EDGE + nth * CELL.height;
    return row.split(/(\x1b\[[\d;]*m)/).map((part) => {
      const [, codes] = /^\x1b\[([\d;]*)m$/.exec(part) ?? [];
      if (codes !== undefined) {
        look = codes.split(";").reduce((before, code) => after(before, Number(code)), look);
        return "";
      }
      const from = at;
      at += visibleWidth(part);
      return cells(part, look, { x: EDGE + from * CELL.width, y });
    }).join("");
  });
  const width = Math.ceil(2 * EDGE + columns * CELL.width);
  const height = 2 * EDGE + rows.length * CELL.height;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}">`,
    `<rect width="100%" height="100%" rx="6" fill="${BACKGROUND}"/>`,
    `<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">`,
    ...drawn.filter((row) => row !== ""),
    "</g>",
    "</svg>\n",
  ].join("\n");
}

function after(look: Look, code: number): Look {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, dim: true };
  if (code === 7) return { ...look, turned: true };
  if (code === 22) return { ...look, bold: false, dim: false };
  if (code === 27) return { ...look, turned: false };
  if (code === 39) return { ...look, color: TEXT };
  return { ...look, color: COLORS[code] ?? look.color };
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Signs that take two columns are placed by themselves: fonts do not agree on their width. */
function cells(text: string, look: Look, { x, y }: { readonly x: number; readonly y: number }) {
  const width = visibleWidth(text) * CELL.width;
  const box = look.turned
    ? `<rect x="${px(x)}" y="${y}" width="${
      px(width)
    }" height="${CELL.height}" fill="${look.color}"/>`
    : "";
  let at = x;
  const runs: { readonly x: number; text: string; readonly wide: boolean }[] = [];
  for (const { segment } of graphemes.segment(text)) {
    const columns = visibleWidth(segment);
    const last = runs.at(-1);
    if (columns === 1 && last !== undefined && !last.wide) last.text += segment;
    else runs.push({ x: at, text: segment, wide: columns !== 1 });
    at += columns * CELL.width;
  }
  const fill = look.turned ? BACKGROUND : look.color;
  const more = (look.bold ? ' font-weight="bold"' : "") + (look.dim ? ' opacity="0.6"' : "");
  const shown = runs.filter((run) => run.text.trim() !== "").map((run) => {
    // Several blanks are one to most who draw it.
    const blanks = run.text.length - run.text.trimStart().length;
    const words = run.text.trim().replace(/&/g, "&amp;").replace(/</g, "&lt;")
      .replace(/ {2,}/g, (found) => "&#160;".repeat(found.length));
    return `<text x="${px(run.x + blanks * CELL.width)}" y="${
      y + 14
    }" fill="${fill}"${more}>${words}</text>`;
  });
  return box + shown.join("");
}

function px(value: number): string {
  return value.toFixed(1);
}
