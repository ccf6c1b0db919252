/** Parses one page on a thread that may do nothing else: if hostile HTML breaks the parser, only that thread ends. */
import { page_of, type PageText } from "./web_page.ts";

/** The part of a worker's global scope that is used; Deno's types know only the window's. */
const port = self as unknown as {
  onmessage: (event: MessageEvent<string>) => void;
  postMessage(message: PageText): void;
};

port.onmessage = ({ data }) => port.postMessage(page_of(data));
