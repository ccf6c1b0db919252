/** The page of `hamr report --html`, in a headless Chromium: narrow and wide, and with a keyboard alone. */
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { type BrowserPage, chromium, in_browser } from "../support/browser.ts";
import { bash, call, say, type Script } from "../support/model_server.ts";
import { stage } from "../support/stage.ts";
import { debian, skip } from "./tools.ts";

const LONG = "a_name_without_any_blank_".repeat(8);
const script: Script = ({ body }) => {
  const asked = JSON.stringify(body.messages[1]?.content);
  const results = body.messages.filter(({ role }) => role === "tool").length;
  if (asked.includes("Look")) {
    return results < 2 ? bash(`echo ${results} ${LONG}`) : say("I looked.");
  }
  if (results > 0) return say("It says two now.");
  return call("edit", { path: "a.txt", old: "one", new: `two ${LONG}` });
};

/** Presses Tab until what has the focus is this; fails where it never is. */
async function tab_to(page: BrowserPage, what: string): Promise<void> {
  for (let times = 0; times < 40; times++) {
    await page.press("Tab");
    const focused = `(e => e?.matches(${JSON.stringify(what)}))(document.activeElement)`;
    if (await page.value<boolean>(focused)) return;
  }
  assert.fail(`Tab does not reach ${what}`);
}

const FIRST_RUN = "document.querySelector('tbody tr a').textContent";

async function look(page: BrowserPage, width: number): Promise<void> {
  const wide = await page.value<number>("document.documentElement.scrollWidth");
  assert.ok(wide <= width, `at ${width} the page is ${wide} wide`);
  const small = await page.value<string[]>(
    `[...document.querySelectorAll("body *")].filter(e => e.textContent.trim() !== "" &&
      !e.closest("script") && parseFloat(getComputedStyle(e).fontSize) < 12).map(e => e.outerHTML)`,
  );
  assert.deepEqual(small, []);
  // The chart says what the table says: 2 and 3 steps.
  const bars = await page.value<number[]>(
    "[...document.querySelectorAll('.bar')].map(e => e.getBoundingClientRect().width)",
  );
  assert.ok(Math.abs(bars[0]! / bars[1]! - 2 / 3) < 0.02, `${bars}`);
  // By steps, up and down.
  const sort = "thead th:nth-child(4) button";
  await tab_to(page, sort);
  const outline = `getComputedStyle(document.querySelector("${sort}")).outlineStyle`;
  assert.equal(await page.value(outline), "solid", "where the focus is can be seen");
  await page.press("Enter");
  assert.match(await page.value(FIRST_RUN), /change/);
  await page.press("Enter");
  assert.match(await page.value(FIRST_RUN), /look/);
  const sorted = "document.querySelector('thead th:nth-child(4)').ariaSort";
  assert.equal(await page.value(sorted), "descending");
  // From a run to its part of the page, and into its transcript.
  await tab_to(page, "tbody a[href='#run0']");
  await page.press("Enter");
  assert.equal(await page.value("location.hash"), "#run0");
  const top = await page.value<number>(
    "document.querySelector('#run0').getBoundingClientRect().top",
  );
  assert.ok(top < 800, "the run is in sight");
  await tab_to(page, "#run0 pre.diff");
  await tab_to(page, "#run0 details:not([open]) > summary");
  const open = "document.querySelectorAll('#run0 details[open]').length";
  const before = await page.value<number>(open);
  await page.press("Enter");
  assert.equal(await page.value(open), before + 1);
  // And with one press from the table to a diff, and to a transcript, which opens.
  for (const part of ["diff0", "transcript1"]) {
    await tab_to(page, `tbody a[href='#${part}']`);
    await page.press("Enter");
    const shown =
      `(e => e.checkVisibility() && e.getBoundingClientRect().top < 800)(document.querySelector('#${part}'))`;
    assert.equal(await page.value(shown), true, part);
  }
  const still = await page.value<number>("document.documentElement.scrollWidth");
  assert.ok(still <= width, `at ${width}, opened, the page is ${still} wide`);
  assert.deepEqual(page.faults, []);
}

Deno.test("the page of many runs: 360 and 1440 wide, sorted, followed and opened by keyboard", async () => {
  if (chromium() === null) await debian("chromium", "chromium");
  const program = chromium();
  if (program === null) return void skip("chromium", "no page was looked at");
  const options = { script, one_conversation: false, files: { "a.txt": "one\n" } } as const;
  await stage(options, async (s) => {
    // A folder's name and a session's have no blank either.
    const events = (await s.events("Change it.")).stdout;
    s.ws.write("change.jsonl", events.replaceAll(s.ws.path, `/${LONG}`));
    s.ws.write("look.jsonl", (await s.events("Look at it.")).stdout);
    const report = await s.hamr(["report", "--html", "change.jsonl", "look.jsonl"]);
    assert.equal(report.code, 0, report.stderr);
    s.outside.write("report.html", report.stdout);
    const url = pathToFileURL(s.outside.at("report.html")).href;
    for (const width of [360, 1440]) {
      await in_browser(program, { url, width }, (page) => look(page, width));
    }
  });
});
