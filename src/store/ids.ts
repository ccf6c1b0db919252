/** Ids of rows that belong together, the facts of a scope or the rows of a session: they lie together, so that all of them are a range of ids. */

/** An id is its owner's times this, plus a number that counts up. */
export const OWNER_ROWS = 2 ** 32;

/** As big integers, because FTS5 takes no others for a range. */
export interface IdRange {
  readonly first: bigint;
  readonly last: bigint;
}

/** The id of the nth row of an owner, from 1. */
export function row_id(owner: number, nth: number): bigint {
  return BigInt(owner) * BigInt(OWNER_ROWS) + BigInt(nth);
}

export function ids_of(owner: number): IdRange {
  return { first: row_id(owner, 0), last: row_id(owner + 1, 0) - 1n };
}
