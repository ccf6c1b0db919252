import { test_policy } from "../sandbox/_testing.ts";
import type { Policy } from "../sandbox/policy.ts";
import { type Caches, caches } from "./caches.ts";

/** A home folder, and the caches of a run in it. */
export interface Home {
  readonly home: string;
  readonly cache: string;
  readonly workspace: string;
  /** Makes files; a path that ends in `/` is a folder. */
  put(...paths: string[]): void;
  write(path: string, content: string): void;
  of(change?: Partial<Policy>, environ?: Readonly<Record<string, string>>): Caches;
}

/** A home with nothing in it but a workspace. */
export function with_home(work: (home: Home) => void): void {
  const home = Deno.realPathSync(Deno.makeTempDirSync());
  const [cache, workspace] = [`${home}/data/cache`, `${home}/ws`];
  const write = (path: string, content: string) => {
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    if (!path.endsWith("/")) Deno.writeTextFileSync(path, content);
  };
  for (const path of [cache, workspace]) Deno.mkdirSync(path, { recursive: true });
  try {
    work({
      home,
      cache,
      workspace,
      write,
      put: (...paths) => paths.forEach((path) => write(`${home}/${path}`, "")),
      of: (change = {}, environ = {}) => {
        const policy = {
          workspace,
          cache,
          tmp: "/tmp/run",
          net: "own",
          env: { HOME: home },
        } as const;
        return caches(test_policy({ ...policy, ...change }), (name) => environ[name]);
      },
    });
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
}
