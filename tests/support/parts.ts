/** The parts of the program that a run inside a test, or a scenario in a process of its own, is put together from. `deno task test` puts them into the bundle that it makes. */
export { ask_endpoint } from "../../src/app/endpoint.ts";
export { Lifecycle } from "../../src/app/lifecycle.ts";
export { reopen } from "../../src/app/reopen.ts";
export { load_settings } from "../../src/app/settings.ts";
export { read_images } from "../../src/cli/base/images.ts";
export { parse } from "../../src/cli/args/args.ts";
export { wanted_of } from "../../src/cli/resume.ts";
export { agented, with_texts } from "../../src/cli/run.ts";
export { subscribe } from "../../src/cli/subscribers.ts";
export { read_task } from "../../src/cli/task.ts";
export { Steering } from "../../src/agent/steering.ts";
export { process_io } from "../../src/cli/base/io.ts";
export { run_job } from "../../src/cli/job.ts";
