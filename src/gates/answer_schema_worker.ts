/** Holds an answer against a schema with patterns, on a thread that may do nothing else: one that takes years ends with it. */
import { shape, type Shaped } from "./answer_schema.ts";

/** The part of a worker's global scope that is used; Deno's types know only the window's. */
const port = self as unknown as {
  onmessage: (event: MessageEvent<{ answer: string; schema: string }>) => void;
  postMessage(message: Shaped): void;
};

port.onmessage = ({ data: { answer, schema } }) => port.postMessage(shape(answer, schema));
