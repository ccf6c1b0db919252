/** Runs as one HTML file: no network, no fonts, no scripts but its own; sortable, and usable with the keyboard alone. */
import { dollars } from "../../model/pricing.ts";
import { harmless } from "../text.ts";
import { token_count } from "../words.ts";
import { duration_words, heading, totals } from "./markdown.ts";
import { basis_of, diff_title, type Line, type Page, verdict_of } from "./page.ts";

const STYLE =
  `:root{color-scheme:light dark;--line:#8884;--good:#1a7f37;--bad:#cf222e;--soft:#9a6700}
@media(prefers-color-scheme:dark){:root{--good:#3fb950;--bad:#f85149;--soft:#d29922}}
body{font:16px/1.5 system-ui,sans-serif;max-width:75rem;margin:0 auto;padding:1rem;overflow-wrap:break-word}
table{border-collapse:collapse;width:100%}.scroll{overflow-x:auto}
td,th{border-bottom:1px solid var(--line);padding:.35rem .5rem;text-align:left;vertical-align:top}
td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
th button{all:unset;cursor:pointer;font-weight:600}
th[aria-sort=ascending] button::after{content:" ▲"}th[aria-sort=descending] button::after{content:" ▼"}
th button:focus-visible{outline:2px solid}
pre{overflow-x:auto;background:#8881;padding:.6rem;border-radius:.3rem;white-space:pre-wrap;overflow-wrap:anywhere}
pre.diff{white-space:pre}summary{cursor:pointer}section{border-top:2px solid var(--line);margin-top:1.5rem}
.success,.add{color:var(--good)}.failed,.del{color:var(--bad)}.partial{color:var(--soft)}
.bars{list-style:none;padding:0}.bars li{margin:.2rem 0;overflow-wrap:anywhere}.bars a{display:block}
.bar{display:inline-block;height:.8rem;min-width:2px;background:currentColor;margin-right:.5rem}`;

const SCRIPT = `for(const b of document.querySelectorAll("th button"))b.onclick=()=>{
const th=b.parentNode,i=[...th.parentNode.children].indexOf(th),body=th.closest("table").tBodies[0];
const down=th.getAttribute("aria-sort")==="ascending";
for(const o of th.parentNode.children)o.removeAttribute("aria-sort");
th.setAttribute("aria-sort",down?"descending":"ascending");
const key=r=>r.cells[i].dataset.n===undefined?r.cells[i].textContent:+r.cells[i].dataset.n;
const rows=[...body.rows].sort((x,y)=>{const a=key(x),c=key(y);return(a>c)-(a<c)});
body.append(...(down?rows.reverse():rows))}`;

/** No other script runs in the page, should one get into it. */
export const SCRIPT_HASH = "sha256-6gSkHoDPRtMDD/RGuik8+7pqIO69qCfpg5woGt33nos=";

export function html(pages: readonly Page[]): string {
  const [only] = pages;
  const title = pages.length === 1 && only !== undefined ? heading(only.name) : totals(pages);
  const head = ["run", "verdict", "rests on", "steps", "tokens", "cost", "time"]
    .map((name) => `<th scope="col"><button type="button">${name}</button></th>`).join("") +
    '<th scope="col">look at</th>';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${esc(`hamr: ${title}`)}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none';style-src 'unsafe-inline';script-src '${SCRIPT_HASH}'">
<style>${STYLE}</style></head><body>
<h1>${esc(title)}</h1>
<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>
${pages.map(row).join("")}</tbody></table></div>
${pages.length > 1 ? chart(pages) : ""}
${pages.map(section).join("")}
<script>${SCRIPT}</script></body></html>
`;
}

function row({ name, result, diff, lines }: Page, at: number): string {
  const { status, steps, usage, cost_usd, duration_ms } = result;
  const tokens = usage.input_tokens + usage.output_tokens;
  return `<tr><td><a href="#run${at}">${esc(heading(name))}</a></td>
<td class="${esc(status)}">${esc(verdict_of(result))}</td><td>${esc(basis_of(result))}</td>
${number(steps, String(steps))}${number(tokens, token_count([usage]))}${
    number(cost_usd ?? -1, cost_usd === null ? "" : dollars(cost_usd))
  }${number(duration_ms, duration_words(duration_ms))}<td>${
    [
      ...(diff === "" ? [] : [`<a href="#diff${at}">diff</a>`]),
      ...(lines.length === 0 ? [] : [`<a href="#transcript${at}">transcript</a>`]),
    ].join(" ")
  }</td></tr>
`;
}

function number(value: number, shown: string): string {
  return `<td class="n" data-n="${esc(String(value))}">${esc(shown)}</td>`;
}

/** A bar a run for its steps, and where prices are known one for its cost. */
function chart(pages: readonly Page[]): string {
  const bars = (what: string, values: readonly number[], words: (value: number) => string) => {
    const most = Math.max(...values, 1e-9);
    const one = (value: number, at: number) => {
      const { name, result: { status } } = pages[at] as Page;
      const part = (value / most).toFixed(3);
      return `<li><a href="#run${at}">${esc(heading(name))}</a>
<span class="bar ${esc(status)}" style="width:calc((100% - 6rem)*${part})"></span>${
        esc(words(value))
      }</li>`;
    };
    return `<h2>${what}</h2><ul class="bars">${values.map(one).join("")}</ul>`;
  };
  const costs = pages.map(({ result }) => result.cost_usd ?? 0);
  const steps = pages.map(({ result }) => result.steps);
  return bars("Steps", steps, String) +
    (costs.some((cost) => cost > 0) ? bars("Cost", costs, dollars) : "");
}

function section(
  { name, workspace, result, checks, lines, diff, patch }: Page,
  at: number,
): string {
  const checked = checks.map(({ ok, name, message }) => {
    const sign = ok === null ? "?" : ok ? "✓" : "✗";
    return `<li>${sign} <code>${esc(name)}</code>: ${esc(message)}</li>`;
  }).join("");
  const told = lines.map(entry).join("");
  return `<section id="run${at}"><h2 class="${esc(result.status)}">${esc(heading(name))}</h2>
<p>${esc(result.model)} at ${esc(result.provider)}${
    workspace === "" ? "" : `, in <code>${esc(workspace)}</code>`
  }, session <code>${esc(result.session_id)}</code></p>
${result.final_output === "" ? "" : `<pre>${esc(result.final_output)}</pre>`}
${checked === "" ? "" : `<ul>${checked}</ul>`}
${
    diff === "" ? "" : `<details open><summary>${diff_title(patch)}</summary>
<pre class="diff" id="diff${at}" tabindex="0">${
      diff.trimEnd().split("\n").map(diff_line).join("\n")
    }</pre></details>`
  }
${
    told === ""
      ? ""
      : `<details><summary>Transcript</summary><div id="transcript${at}">${told}</div></details>`
  }</section>
`;
}

function entry({ step, kind, text, ok }: Line): string {
  const sign = kind !== "call" ? "" : ok === null ? "… " : ok ? "✓ " : "✗ ";
  const who = kind === "task" ? kind : kind === "text" ? `step ${step}` : "";
  return `${who && `<p><b>${who}</b></p>`}<pre>${esc(sign + text)}</pre>`;
}

function diff_line(line: string): string {
  const kind = line.startsWith("+") ? "add" : line.startsWith("-") ? "del" : "";
  return kind === "" ? esc(line) : `<span class="${kind}">${esc(line)}</span>`;
}

function esc(text: string): string {
  return harmless(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
