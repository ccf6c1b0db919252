/** Recognizes servers that answer before their model is loaded. */
import type { ModelError } from "../errors.ts";

/** llama.cpp while a model is being loaded (recorded: 503 `Loading model`), and others in like words. */
const LOADING = /loading model|model is (still )?(being )?load(ed|ing)/i;

export function is_loading({ status, signs = "" }: ModelError): boolean {
  return status === 503 && LOADING.test(signs);
}

/** A model loads for minutes: five, where `max_wait_s` is 60. */
const LOADING_WAITS = 5;

/** Milliseconds that a model which is being loaded is waited for in all; Infinity: no limit. */
export function loading_ms({ max_wait_s }: { max_wait_s: number }): number {
  return max_wait_s > 0 ? max_wait_s * 1000 * LOADING_WAITS : Infinity;
}
