/** Hides Node's `process` from the module loaded next. Not on Windows, where it is needed. */
export const hidden = Deno.build.os === "windows"
  ? undefined
  : Object.getOwnPropertyDescriptor(globalThis, "process");

if (hidden?.configurable) {
  Object.defineProperty(globalThis, "process", { value: undefined, configurable: true });
}
