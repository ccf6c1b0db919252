/** HTML as Markdown. */
import domino from "@mixmark-io/domino";
import TurndownService from "turndown";

const LEFT_OUT =
  "script, style, noscript, template, iframe, svg, canvas, button, nav, footer, [hidden]";
/** Where pages have what they are about. */
const CONTENT = "main, [role=main], article";

/** As much of an element as is asked for. */
interface Element {
  readonly children: { readonly length: number };
  readonly previousElementSibling: Element | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): Element | null;
}

export interface PageText {
  readonly title: string;
  readonly text: string;
}

/** What a page says: of one that marks its content, only that. */
export function page_of(html: string): PageText {
  const page = domino.createDocument(html);
  const title = page.title.trim();
  for (const one of page.querySelectorAll(LEFT_OUT)) one.remove();
  const all = [...page.querySelectorAll(CONTENT)];
  const content = all.length === 1 ? all[0] : page.body;
  const text = markdown().turndown(content);
  return { title, text: text.replace(/[ \t\u00a0]+$/gm, "").replace(/\n{3,}/g, "\n\n").trim() };
}

function markdown() {
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
  });
  // A model reads `max_tokens` better than `max\_tokens`.
  service.escape = (text: string) => text;
  service.addRule("images", {
    filter: "img",
    replacement: (_: string, image: Element) => image.getAttribute("alt")?.trim() ?? "",
  });
  service.addRule("links", {
    filter: "a",
    replacement: (content: string, link: Element) => {
      const words = content.trim();
      if (/^[#¶§]?$/.test(words)) return "";
      const href = link.getAttribute("href") ?? "";
      return /^(#|javascript:|data:|$)/i.test(href) ? content : `[${words}](${href})`;
    },
  });
  service.addRule("cells", {
    filter: ["th", "td"],
    replacement: (content: string) => {
      const line = content.trim().replace(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
      return `| ${line} `;
    },
  });
  service.addRule("rows", {
    filter: "tr",
    replacement: (content: string, row: Element) => {
      const is_head = row.previousElementSibling === null && row.querySelector("th") !== null;
      return `\n${content}|${is_head ? `\n${"| --- ".repeat(row.children.length)}|` : ""}`;
    },
  });
  service.addRule("tables", {
    filter: "table",
    replacement: (content: string) => `\n\n${content}\n\n`,
  });
  return service;
}
