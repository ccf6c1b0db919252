/** The program. Everything ends here: nothing else in it calls `Deno.exit`. */
import { main } from "./src/cli/mod.ts";

Deno.exit(await main(Deno.args));
