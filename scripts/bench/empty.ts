// The least that a Deno program can be.
export {};
