/** Keeps keys out of what is shown: servers echo them in their errors, whole or partly masked. */
import { attempt } from "../config/attempt.ts";
import { with_word_replaced } from "../config/text.ts";

/** What was sent to a server and must not come back from it into a message. */
interface SentSecrets {
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers whose values are secrets, by the names that services give them. `x-portkey-config` may hold keys, `x-portkey-provider` is "openai". */
const SECRET_HEADER = /auth|(?<!port)key|portkey-config|token|secret|passw|cookie|credential/i;
/** Shorter than this nothing is a secret, and hiding it would riddle the text. */
const LEAST_CHARS = 3;
/** A shorter key is looked for as a word of its own; of a longer one, pieces of this length are too. */
const PIECE_CHARS = 8;

/** `sk-proj-****abcd` (OpenAI), `****7890` (DeepSeek), `sk-abc...xyz` (gateways), or a cut of our own. */
const MASK = /[*#\u2022\u2026\u2588]+|\.{2,}|[xX]{4,}/g;
/** What stands together and may be a key with a mask in it, without the full stop of its sentence. */
const TOKEN =
  /[\w+/~*#.\u2022\u2026\u2588-](?:[\w+/~*#.\u2022\u2026\u2588-]*[\w+/~*#\u2022\u2026\u2588-])?/g;

export function redact(text: string, sent: SentSecrets): string {
  return secrets_of(sent).reduce(hide, text);
}

/** The text without a secret that is in it whole: a long one is gone through in no time, and the rest stays as it was. */
export function without_secrets(text: string, sent: SentSecrets): string {
  return secrets_of(sent).reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
}

/** Longest first: a short one may be part of a long one. */
function secrets_of({ key, headers }: SentSecrets): string[] {
  const found = [key];
  for (const [name, value] of Object.entries(headers)) {
    if (!SECRET_HEADER.test(name)) continue;
    const [, scheme = "", rest = value] = /^(\w+) +(\S+)$/.exec(value) ?? [];
    found.push(rest);
    if (scheme.toLowerCase() === "basic") found.push(...password(rest));
  }
  return [...new Set(found)].filter((secret) => secret.length >= LEAST_CHARS)
    .toSorted((a, b) => b.length - a.length);
}

/** What basic authorization hides: the password, or where there is none the user. */
function password(base64: string): string[] {
  return attempt(() => {
    const text = new TextDecoder().decode(Uint8Array.fromBase64(base64));
    const colon = text.indexOf(":");
    return [text.slice(colon + 1) || text.slice(0, colon)];
  }, []);
}

function hide(text: string, secret: string): string {
  const unmasked = text.replace(TOKEN, (token) => is_masked(token, secret) ? "…" : token);
  return secret.length < PIECE_CHARS
    ? with_word_replaced(unmasked, { from: secret, to: "…" })
    : hide_pieces(unmasked, secret);
}

/** Whether a token shows the beginning or the end of a secret around a mask. */
function is_masked(token: string, secret: string): boolean {
  const masks = [...token.matchAll(MASK)];
  const first = masks[0];
  const last = masks.at(-1);
  if (first === undefined || last === undefined) return false;
  const head = token.slice(0, first.index);
  const tail = token.slice(last.index + last[0].length);
  return (head.length > 1 && secret.startsWith(head)) ||
    (tail.length > 1 && secret.endsWith(tail));
}

/** Hides every stretch of at least eight characters that is in the secret too. */
function hide_pieces(text: string, secret: string): string {
  let clean = "";
  let at = 0;
  while (at < text.length) {
    let end = at + PIECE_CHARS;
    if (end > text.length || !secret.includes(text.slice(at, end))) {
      clean += text[at++];
      continue;
    }
    while (end < text.length && secret.includes(text.slice(at, end + 1))) end++;
    clean += "…";
    at = end;
  }
  return clean;
}

/** Why `fetch` would throw on headers, and show the value, in words that do not; null if it would not. */
export function bad_header(
  headers: Readonly<Record<string, string>>,
  { key_env }: { key_env: string },
): string | null {
  for (const [name, value] of Object.entries(headers)) {
    const what = (name === "authorization" || name === "x-api-key") && key_env !== ""
      ? `the key in ${key_env}`
      : `the header ${JSON.stringify(name)}`;
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      return `${what} has a character that no HTTP header can carry, such as a line break or "…"`;
    }
  }
  return null;
}
