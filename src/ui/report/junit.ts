/** Runs as JUnit XML, in the form that Jenkins' xUnit plugin checks (junit-10.xsd) and GitLab reads. */
import { basis_of, type Check, type Page, verdict_of } from "./page.ts";

/** A suite a run: the run itself, each verification, each judge. */
export function junit(pages: readonly Page[]): string {
  const suites = pages.map(suite);
  const count = (name: "tests" | "failures" | "errors") =>
    suites.reduce((sum, one) => sum + one[name], 0);
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="hamr" tests="${count("tests")}" failures="${count("failures")}" errors="${
    count("errors")
  }">
${suites.map(({ xml }) => xml).join("")}</testsuites>
`;
}

function suite(page: Page) {
  const { name, result, checks } = page;
  const cases = [
    ...checks.map((check, at) => check_case(check, { nth: at + 1, last: is_last(checks, at) })),
    run_case(page),
  ];
  const errors = result.status === "failed" ? 1 : 0;
  const failures = cases.filter((text) => text.includes("<failure ")).length;
  const { session_id, model, provider, stop_reason, exit_code, steps, tool_calls, cost_usd } =
    result;
  const properties = Object.entries({
    ...{ session_id, model, provider, stop_reason, exit_code, steps, tool_calls },
    cost_usd: cost_usd ?? "",
  }).map(([key, value]) => `      <property ${attributes({ name: key, value })}/>\n`).join("");
  const about = {
    name: `hamr: ${first_line(name)}`,
    tests: cases.length,
    failures,
    errors,
    skipped: cases.filter((text) => text.includes("<skipped>")).length,
    time: seconds(result.duration_ms),
  };
  return {
    ...{ tests: cases.length, failures, errors },
    xml: `  <testsuite ${attributes(about)}>
    <properties>
${properties}    </properties>
${cases.join("")}  </testsuite>
`,
  };
}

function run_case({ result }: Page): string {
  const { status, stop_reason: type, duration_ms, final_output, error } = result;
  const about = { classname: "hamr", name: "run", time: seconds(duration_ms) };
  const out = `      <system-out>${text(final_output)}</system-out>\n`;
  if (status === "success") return testcase(about, out);
  const word = status === "partial" ? "failure" : "error";
  const said = attributes({ type, message: verdict_of(result) });
  const why = error === null ? basis_of(result) : error.message;
  return testcase(about, `      <${word} ${said}>${text(why)}</${word}>\n${out}`);
}

/** Whether no later check has the same name: only the last verdict counts. */
function is_last(checks: readonly Check[], at: number): boolean {
  const { kind, name } = checks[at] as Check;
  return !checks.slice(at + 1).some((later) => later.kind === kind && later.name === name);
}

function check_case(
  { kind, name, ok, message, ms, output }: Check,
  { nth, last }: { nth: number; last: boolean },
): string {
  const about = {
    classname: `hamr.${kind}`,
    name: `${nth}. ${first_line(name)}`,
    time: seconds(ms),
  };
  if (ok === true) return testcase(about, "");
  // Jenkins' older schema allows no attribute here; the text says the same.
  if (ok === null || !last) return testcase(about, `      <skipped>${text(message)}</skipped>\n`);
  const said = attributes({ type: kind, message });
  return testcase(about, `      <failure ${said}>${text(output || message)}</failure>\n`);
}

function testcase(about: Readonly<Record<string, unknown>>, inside: string): string {
  const head = `    <testcase ${attributes(about)}`;
  return inside === "" ? `${head}/>\n` : `${head}>\n${inside}    </testcase>\n`;
}

function attributes(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${text(String(value)).replaceAll("\n", "&#10;")}"`)
    .join(" ");
}

/** Jenkins' JUnit Attachments and Azure Pipelines publish the file of the machine that such a line of an output names. */
const ATTACHES = /\[\[(?=ATTACHMENT\|)/gi;

/** Nothing that XML 1.0 can't hold, not even as a reference, and nothing that has a reader fetch a file. */
function text(raw: string): string {
  return raw.toWellFormed().replace(ATTACHES, "[\u200b[")
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("\r", "&#13;");
}

function first_line(name: string): string {
  return name.trim().split("\n", 1)[0]?.slice(0, 200) ?? "";
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
