/** Node's `process`, which what is loaded next does not find. On Windows it has to. */
export const hidden = Deno.build.os === "windows"
  ? undefined
  : Object.getOwnPropertyDescriptor(globalThis, "process");

if (hidden?.configurable) {
  Object.defineProperty(globalThis, "process", { value: undefined, configurable: true });
}
