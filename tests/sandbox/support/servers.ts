/** Servers outside the sandbox (servers.py), which nothing inside should reach. */
import type { World } from "./world.ts";

/** What runs beside the sandbox. */
export interface Servers {
  /** Where their unix sockets are: `stream`, `packet`, `datagram`; its name is also that of an abstract one. */
  readonly folder: string;
  /** Of the TCP servers on 127.0.0.1 and 127.0.0.53, and of the UDP one. */
  readonly port: number;
  /** Who got through so far, a line each. */
  log(): string;
}

/** The path of a file beside this one. */
export function support_file(name: string): string {
  return new URL(`./${name}`, import.meta.url).pathname;
}

/** Starts the servers, lets `use` work while they run, and ends them. */
export async function with_servers<T>(
  world: World,
  use: (servers: Servers) => Promise<T>,
): Promise<T> {
  const folder = `${world.root}/servers`;
  Deno.mkdirSync(folder);
  const program = new Deno.Command("python3", {
    args: [support_file("servers.py"), folder],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = program.stdout.getReader();
  try {
    const port = Number(new TextDecoder().decode((await reader.read()).value));
    return await use({ folder, port, log: () => Deno.readTextFileSync(`${folder}/log`) });
  } finally {
    await program.stdin.close();
    await reader.cancel();
    await program.status;
  }
}
