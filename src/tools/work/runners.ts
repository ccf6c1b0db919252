import { run_apply_patch } from "./apply_patch_run.ts";
import { run_background } from "./background_run.ts";
import { run_bash } from "./bash_run.ts";
import { run_edit } from "./edit_run.ts";
import { run_insert_lines } from "./insert_lines_run.ts";
import { run_read } from "./read_run.ts";
import type { Runner } from "./runner.ts";
import { run_view_image } from "./view_image_run.ts";
import { run_write } from "./write_run.ts";

export const RUNNERS: ReadonlyMap<string, Runner> = new Map([
  ["read", run_read],
  ["edit", run_edit],
  ["write", run_write],
  ["bash", run_bash],
  ["background", run_background],
  ["view_image", run_view_image],
  ["apply_patch", run_apply_patch],
  ["insert_lines", run_insert_lines],
]);
