/**
 * Append-only except for the row of the session itself, which says how far it has come. A compaction makes the next part of a
 * session: `parts` has one row for each but the first. `tape` holds, in their order, the answers that the run did not make
 * itself, to replay them; `runs` what each invocation was started with.
 *
 * `contents` are files as they were: each once, whichever sessions hold on to it (`content_uses`). `changes` says which file
 * a call changed, and what it held before and after.
 *
 * `imported` is when a session came out of a file, in milliseconds since 1970; 0: it was made here.
 *
 * `session_words` finds messages by what the user and the model have said; it has the words and not the text.
 */
export const SESSION_SCHEMA = `
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  workspace TEXT NOT NULL,
  task TEXT NOT NULL,
  began_ms INTEGER NOT NULL,
  saved_ms INTEGER NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  part INTEGER NOT NULL,
  part_from INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  cost_usd REAL,
  stop_reason TEXT,
  imported INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  state TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_workspace ON sessions (workspace);
CREATE INDEX sessions_by_begin ON sessions (began_ms);
CREATE TABLE runs (id INTEGER PRIMARY KEY, step INTEGER NOT NULL, body ANY NOT NULL) STRICT;
CREATE TABLE parts (id INTEGER PRIMARY KEY, step INTEGER NOT NULL, body ANY NOT NULL) STRICT;
CREATE TABLE messages (id INTEGER PRIMARY KEY, step INTEGER NOT NULL, body ANY NOT NULL) STRICT;
CREATE TABLE actions (id INTEGER PRIMARY KEY, step INTEGER NOT NULL, body ANY NOT NULL) STRICT;
CREATE TABLE ledger (id INTEGER PRIMARY KEY, step INTEGER NOT NULL, body ANY NOT NULL) STRICT;
CREATE TABLE events (id INTEGER PRIMARY KEY, step INTEGER NOT NULL, body ANY NOT NULL) STRICT;
CREATE TABLE tape (id INTEGER PRIMARY KEY, step INTEGER NOT NULL, body ANY NOT NULL) STRICT;
CREATE TABLE changes (id INTEGER PRIMARY KEY, step INTEGER NOT NULL, body ANY NOT NULL) STRICT;
CREATE TABLE contents (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  body ANY NOT NULL
) STRICT;
CREATE TABLE content_uses (
  session INTEGER NOT NULL,
  content INTEGER NOT NULL,
  PRIMARY KEY (session, content)
) STRICT, WITHOUT ROWID;
CREATE INDEX uses_of_content ON content_uses (content);
CREATE VIRTUAL TABLE session_words USING fts5(
  text, content = '', contentless_delete = 1, detail = none,
  tokenize = 'porter unicode61 remove_diacritics 2'
);
`;

export const SESSION_TABLES = [
  "runs",
  "parts",
  "messages",
  "actions",
  "ledger",
  "events",
  "tape",
  "changes",
] as const;

export type SessionTable = (typeof SESSION_TABLES)[number];

export const TASK_CHARS = 500;
