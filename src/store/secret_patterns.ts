/** Recognizes secrets by the forms that services give them. */

/** What a secret is called, to follow "a" or "an"; the first that fits is named. */
const PATTERNS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["a private key", /-----BEGIN [A-Z ]*PRIVATE KEY/],
  ["an AWS access key", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ["a GitHub token", /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,})/],
  ["a GitLab token", /\bgl(?:pat|dt|rt|ptt)-[\w-]{16,}/],
  ["a Slack token", /\bxox[abeoprs]-[\w-]{10,}/],
  ["an API key", /\b(?:sk|rk|pk)[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{16,}/],
  ["a Google API key", /\bAIza[\w-]{30,}/],
  ["a Hugging Face token", /\bhf_[A-Za-z0-9]{20,}/],
  ["a registry token", /\b(?:npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,})/],
  ["a JSON web token", /\beyJ[\w-]{8,4096}\.[\w-]{8,}\.[\w-]*/],
  ["an authorization header", /\b(?:authorization\s*[:=]\s*)?(?:bearer|basic)\s+[\w+/.~=-]{16,}/i],
  ["an address with a password", /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]*:(?![$<{*])[^\s/@]{3,}@/i],
];

/** A name that says what follows it is secret, and what follows: in quotes to their end, else one word. */
const ASSIGNED =
  /(?:\b|_)(?:pass(?:word|wd|phrase)?|secret|token|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|credentials?)["']?\s*(?:[:=]|\bis\b)\s*(?:"([^"\n]+)"|'([^'\n]+)'|`([^`\n]+)`|(\S+))/gi;

/** What is in the place of a secret: a variable, a gap to fill in, a mask, a call, a type. */
const PLACEHOLDER =
  /^[$<{[(%]|^\w[\w.]*[([<]|\*{3}|\.{3}|…|^[xX]{3,}$|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

/** Shorter than this nobody's secret is, and common words are. */
const LEAST_CHARS = 6;

/** What in a text looks like a secret, such as "a GitHub token"; null if nothing does. */
export function secret_in(text: string): string | null {
  const found = PATTERNS.find(([, pattern]) => pattern.test(text));
  if (found !== undefined) return found[0];
  return [...text.matchAll(ASSIGNED)].some(([, ...values]) => is_value(values))
    ? "a password, token or key"
    : null;
}

/** What in a text looks like a secret, each as it is there: the key, the token, the password itself. */
export function secrets_in(text: string): readonly string[] {
  const found = PATTERNS.flatMap(([name, pattern]) =>
    [...text.matchAll(new RegExp(pattern, `g${pattern.flags}`))]
      .flatMap((match) => itself(name, match, text))
  );
  for (const [, ...values] of text.matchAll(ASSIGNED)) {
    if (is_value(values)) found.push(...values.filter((value) => value !== undefined));
  }
  return [...new Set(found)];
}

function itself(name: string, match: RegExpExecArray, text: string): readonly string[] {
  const [whole] = match;
  switch (name) {
    case "a private key": {
      const rest = text.slice(match.index + whole.length);
      const end = rest.indexOf("-----END");
      // A line of it at a time: who shows a file puts a number before each.
      return (end < 0 ? rest : rest.slice(0, end)).match(/[\w+/=]{16,}/g) ?? [];
    }
    case "an authorization header":
      return whole.split(/\s+/).slice(-1);
    case "an address with a password":
      return whole.slice(whole.indexOf("://") + 3).match(/(?<=:).+(?=@)/) ?? [];
    default:
      return [whole];
  }
}

/** Whether what follows such a name is a secret itself: in quotes, or else no word of a sentence or of code. */
function is_value([double, single, back, bare]: readonly (string | undefined)[]): boolean {
  const quoted = double ?? single ?? back;
  const value = quoted ?? (bare ?? "").replace(/[.,;:!?)"']+$/, "");
  if (value.length < LEAST_CHARS || PLACEHOLDER.test(value)) return false;
  // "the token is required", a type, a path, a member: none of these has a digit or a sign in it.
  return /\s/.test(value)
    ? false
    : quoted !== undefined || !/^[\p{L}_.~/-]*$|^\d{1,5}$/u.test(value);
}
