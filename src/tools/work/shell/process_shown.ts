import { hidden } from "./process_hidden.ts";

if (hidden?.configurable) Object.defineProperty(globalThis, "process", hidden);
