import assert from "node:assert/strict";
import { at_end, first_thrown, or_throw } from "./attempt.ts";
import { ConfigError } from "./error.ts";
import { why } from "./paths.ts";
import { message_of } from "./text.ts";

function thrown_by(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return null;
}

function fail(error: Error): () => never {
  return () => {
    throw error;
  };
}

Deno.test("where the end of a block fails, too, what the block has thrown is told", () => {
  const error = thrown_by(() => {
    using _outer = at_end(fail(new Error("the folder can't be closed")));
    using _inner = at_end(fail(new Error("the file can't be closed")));
    throw new Deno.errors.NotFound("no space");
  });
  assert.ok(error instanceof SuppressedError);
  assert.ok(first_thrown(error) instanceof Deno.errors.NotFound);
  assert.equal(message_of(error), "no space");
  assert.equal(why(error), "no such file or folder");
  const put = (error: unknown) => new ConfigError(String(error instanceof Deno.errors.NotFound));
  assert.equal(message_of(thrown_by(() => or_throw(fail(error), put))), "true");
});

Deno.test("where only its end fails, that is told", () => {
  const error = thrown_by(() => {
    using _ = at_end(fail(new Error("the file can't be closed")));
  });
  assert.equal(message_of(error), "the file can't be closed");
});
