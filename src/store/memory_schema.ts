/** The scope of what is known everywhere. */
export const GLOBAL = 0;

/** `id` is one of its scope's (`ids.ts`). `same` is the text for comparing. Both indexes read their text from `facts`. */
export const MEMORY_SCHEMA = `
CREATE TABLE scopes (
  id INTEGER PRIMARY KEY,
  workspace TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO scopes VALUES (${GLOBAL}, '');
CREATE TABLE facts (
  id INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL REFERENCES scopes,
  text TEXT NOT NULL,
  same TEXT NOT NULL,
  saved_ms INTEGER NOT NULL,
  UNIQUE (scope, same)
) STRICT;
CREATE VIRTUAL TABLE fact_words USING fts5(
  text, content = 'facts', content_rowid = 'id',
  tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE fact_trigrams USING fts5(
  text, content = 'facts', content_rowid = 'id', tokenize = 'trigram'
);
CREATE TRIGGER facts_insert AFTER INSERT ON facts BEGIN
  INSERT INTO fact_words (rowid, text) VALUES (new.id, new.text);
  INSERT INTO fact_trigrams (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER facts_delete AFTER DELETE ON facts BEGIN
  INSERT INTO fact_words (fact_words, rowid, text) VALUES ('delete', old.id, old.text);
  INSERT INTO fact_trigrams (fact_trigrams, rowid, text) VALUES ('delete', old.id, old.text);
END;
`;
