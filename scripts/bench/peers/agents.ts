/** The other agents: which version, how it is installed by its own registry's client, and how it is given one task. */
import { environment } from "../../../tests/support/hamr.ts";

/** Where one run takes place. */
export interface Place {
  readonly cwd: string;
  readonly home: string;
  /** Of the scripted server, with `/v1`. */
  readonly url: string;
}

/** How a program is started. */
export interface Start {
  readonly command: readonly string[];
  readonly env: Record<string, string>;
}

/** An agent that can be driven. */
export interface Agent {
  readonly name: string;
  readonly version: string;
  start(place: Place): Start;
}

/** An agent of others. */
interface Peer {
  readonly name: string;
  readonly version: string;
  readonly by: "npm" | "pip";
  readonly package: string;
  /** What it needs and does not install itself. */
  readonly beside?: readonly string[];
  /** Its program. */
  readonly program: string;
  /** Writes what settings it needs; gives its arguments, and what stands in its environment. */
  prepare(place: Place): { readonly args: readonly string[]; readonly env: Record<string, string> };
}

const TASK = "Do the steps.";

function write(path: string, value: unknown): void {
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  Deno.writeTextFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
}

/** Each with everything allowed that a pipeline would allow: nobody is there to be asked. */
export const PEERS: readonly Peer[] = [
  {
    name: "codex",
    version: "0.169.0",
    by: "npm",
    package: "@openai/codex",
    program: "codex",
    prepare({ home, url }) {
      write(
        `${home}/.codex/config.toml`,
        `model = "scripted"\nmodel_provider = "bench"\n[model_providers.bench]\n` +
          `name = "bench"\nbase_url = "${url}"\nwire_api = "responses"\nenv_key = "BENCH_KEY"\n`,
      );
      const free = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
      return { args: ["exec", ...free, TASK], env: { BENCH_KEY: "none" } };
    },
  },
  {
    name: "opencode",
    version: "1.18.33",
    by: "npm",
    package: "opencode-ai",
    program: "opencode",
    prepare({ home, url }) {
      write(`${home}/.config/opencode/opencode.json`, {
        autoupdate: false,
        share: "disabled",
        provider: {
          bench: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: url, apiKey: "none" },
            models: { scripted: { name: "scripted", tool_call: true } },
          },
        },
        model: "bench/scripted",
        small_model: "bench/scripted",
      });
      const env = { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1" };
      return { args: ["run", "--auto", "-m", "bench/scripted", TASK], env };
    },
  },
  {
    name: "pi",
    version: "0.87.1",
    by: "npm",
    package: "@earendil-works/pi-coding-agent",
    beside: ["node@22.23.3"],
    program: "pi",
    prepare({ home, url }) {
      const model = {
        ...{ id: "scripted", name: "scripted", reasoning: false, input: ["text"] },
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        ...{ contextWindow: 128_000, maxTokens: 8192 },
      };
      write(`${home}/.pi/agent/models.json`, {
        providers: {
          bench: { baseUrl: url, api: "openai-completions", apiKey: "none", models: [model] },
        },
      });
      const args = ["--provider", "bench", "--model", "scripted", "-p", TASK];
      return { args, env: { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" } };
    },
  },
  {
    name: "qwen-code",
    version: "0.24.4",
    by: "npm",
    package: "@qwen-code/qwen-code",
    program: "qwen",
    prepare({ home, url }) {
      write(`${home}/.qwen/settings.json`, {
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        security: { auth: { selectedType: "openai" } },
      });
      const env = { OPENAI_API_KEY: "none", OPENAI_BASE_URL: url, OPENAI_MODEL: "scripted" };
      return { args: ["--yolo", TASK], env };
    },
  },
  {
    name: "mini-swe-agent",
    version: "2.4.6",
    by: "pip",
    package: "mini-swe-agent",
    // litellm does not say that it needs it.
    beside: ["mcp==2.3.0"],
    program: "mini",
    prepare({ url }) {
      const args = ["-t", TASK, "-y", "--exit-immediately", "-m", "openai/scripted", "-l", "0"];
      const env = {
        ...{ OPENAI_API_BASE: url, OPENAI_API_KEY: "none", MSWEA_CONFIGURED: "true" },
        ...{ MSWEA_COST_TRACKING: "ignore_errors", MSWEA_SILENT_STARTUP: "1" },
        // Its table of prices would be fetched.
        LITELLM_LOCAL_MODEL_COST_MAP: "True",
      };
      return { args, env };
    },
  },
];

/** hamr, as `program`. */
export function ours(program: readonly string[], version: string): Agent {
  return {
    ...{ name: "hamr", version },
    start: ({ home, url }) => ({
      command: [...program, "run", TASK],
      env: environment(home, { HAMR_BASE_URL: url, HAMR_MODEL: "scripted" }),
    }),
  };
}

/** Installs a peer into a folder of its own in `scratch`, once; throws with what the registry's client said. */
export async function installed(peer: Peer, scratch: string): Promise<Agent> {
  const { name, version } = peer;
  const folder = `${scratch}/${name}-${version}`;
  const bin = peer.by === "npm" ? `${folder}/node_modules/.bin` : `${folder}/bin`;
  const program = `${bin}/${peer.program}`;
  if (!there(program)) {
    Deno.mkdirSync(folder, { recursive: true });
    const what = [
      `${peer.package}${peer.by === "npm" ? "@" : "=="}${version}`,
      ...peer.beside ?? [],
    ];
    if (peer.by === "npm") {
      const quiet = ["--silent", "--no-audit", "--no-fund"];
      await must("npm", ["install", ...quiet, "--prefix", folder, ...what]);
    } else {
      await must("python3", ["-m", "venv", folder]);
      await must(`${bin}/pip`, ["install", "--quiet", "--disable-pip-version-check", ...what]);
    }
  }
  return {
    ...{ name, version },
    start(place) {
      const { args, env } = peer.prepare(place);
      const PATH = `${bin}:${Deno.env.get("PATH")}`;
      return { command: [program, ...args], env: { ...environment(place.home, { PATH }), ...env } };
    },
  };
}

async function must(command: string, args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args: [...args], stdin: "null" })
    .output();
  if (success) return;
  const said = new TextDecoder().decode(stderr).trim().split("\n").at(-1);
  throw new Error(`${command} ${args.at(-1)}: ${said}`);
}

function there(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
