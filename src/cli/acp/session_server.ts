/** One session of the Agent Client Protocol: an agent, and the updates that its client gets. */
import { at_end } from "../../config/attempt.ts";
import { transcript_of } from "../sessions/transcript.ts";
import { fields, json } from "../../config/json.ts";
import {
  type AgentContext,
  type ClientCapabilities,
  type LoadSessionResponse,
  methods,
  type NewSessionResponse,
  type PromptRequest,
  type PromptResponse,
  RequestError,
  type ResumeSessionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { null_on_abort } from "../../agent/interrupt.ts";
import { Agent, is_spent, servers_of } from "../../app/agent.ts";
import { reopen } from "../../app/reopen.ts";
import { opened } from "../../app/saved_sessions.ts";
import { confirm_of, load_settings, type RunSettings } from "../../app/settings.ts";
import { origin, type Override } from "../../config/load.ts";
import type { Io } from "../base/io.ts";
import { Footing } from "../base/restart.ts";
import { answer_images } from "./answer_images.ts";
import { permission_asker, words_asker } from "./asking.ts";
import { available_commands, commanded_prompt } from "./commands.ts";
import {
  chosen_in,
  config_options,
  found_names,
  modes_of,
  OFFERED_MODES,
  SERVERS_OWN,
  work_of,
} from "./options.ts";
import { BEGUN, type Handed, only_in_another, RENEW } from "./process.ts";
import { harmless, line } from "../../ui/text.ts";
import { ended } from "../../ui/words.ts";
import { prompted } from "./prompt.ts";
import { editor_files } from "./editor_files.ts";
import { exactly, forget_empty, TITLE_CHARS } from "./saved.ts";
import { harmless_update, stop_reason, Updates } from "./updates.ts";

export const INTERNAL = -32603;

export type SessionAsked = Pick<
  ResumeSessionRequest,
  "cwd" | "mcpServers" | "additionalDirectories"
>;

export class SessionServer {
  capable: ClientCapabilities = {};
  handed!: Handed;
  client!: AgentContext;
  #agent!: Agent;
  #place!: RunSettings;
  #updates!: Updates;
  /** As in {@link OFFERED_MODES}, or another one that was set for `hamr acp`. */
  #mode = "auto";
  #model = "";
  #effort: string | undefined;
  /** The models that the server has; until they are known only the one that is used. */
  #models: readonly string[] = [];
  #commands = "";
  #flags!: Handed["flags"];
  #titled = false;
  readonly #footing = new Footing();
  #working: { readonly signal: AbortSignal; readonly ended: Promise<unknown> } | null = null;

  constructor(private readonly io: Io) {}

  async begin(asked: SessionAsked): Promise<NewSessionResponse> {
    await this.#make(await this.#setup(asked));
    return { sessionId: this.#agent.sessionId, ...this.#state() };
  }

  /** Goes on with a saved session, and tells what was said in it. */
  async load(asked: SessionAsked & { readonly sessionId: string }): Promise<LoadSessionResponse> {
    await this.resume(asked);
    using saved = await opened({ flags: { directory: asked.cwd }, overrides: [] }, this.io);
    let call = 0;
    const info = exactly(saved, asked.sessionId);
    if (info === null) throw RequestError.sessionNotFound(asked.sessionId);
    for (const entry of await transcript_of(saved.db, info.id)) {
      if (entry.kind === "call") {
        const { name, arguments: written } = entry;
        const id = `earlier-${++call}`;
        await this.#tell(
          this.#updates.earlier({ id, name, arguments: json(written) ?? written }, entry),
        );
      } else if (entry.kind !== "part" && entry.text !== "") {
        const sessionUpdate = entry.kind === "user" ? "user_message_chunk" : "agent_message_chunk";
        await this.#tell({ sessionUpdate, content: { type: "text", text: entry.text } });
      }
    }
    return this.#state();
  }

  async fork(
    { sessionId, ...asked }: SessionAsked & { sessionId: string },
  ): Promise<NewSessionResponse> {
    const setup = await this.#setup(asked);
    if (!await this.#is_saved(setup, sessionId)) throw RequestError.sessionNotFound(sessionId);
    await this.#make(await reopen(setup, this.io, { id: sessionId, tell: this.#log, fork: {} }));
    return { sessionId: this.#agent.sessionId, ...this.#state() };
  }

  async resume(
    { sessionId, _meta, ...asked }:
      & SessionAsked
      & Pick<ResumeSessionRequest, "sessionId" | "_meta">,
  ): Promise<LoadSessionResponse> {
    const setup = await this.#setup(asked);
    const renews = _meta?.[RENEW] === true;
    const known = await this.#is_saved(setup, sessionId, renews);
    // Where it goes on by itself, only its name may exist.
    if (!known && renews) {
      await this.#make({ ...setup, session_id: sessionId });
      return this.#state();
    }
    if (!known) throw RequestError.sessionNotFound(sessionId);
    await this.#make(await reopen(setup, this.io, { id: sessionId, tell: this.#log }));
    this.#titled = true;
    return this.#state();
  }

  async prompt({ prompt, sessionId }: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
    const before = this.#working;
    if (before !== null) {
      if (!before.signal.aborted) {
        throw RequestError.invalidRequest(undefined, "a prompt is under way: cancel it, or wait");
      }
      await before.ended;
    }
    const answer = this.#answer(prompt, { sessionId, over: signal });
    const working = { signal, ended: answer.catch(() => {}) };
    this.#working = working;
    using _ = at_end(() => {
      if (this.#working === working) this.#working = null;
    });
    return await answer;
  }

  async set_mode(asked: string): Promise<Record<string, never>> {
    if (asked !== this.#mode && !OFFERED_MODES.some(({ id }) => id === asked)) {
      throw RequestError.invalidParams({ modeId: asked }, `there is no mode ${asked}`);
    }
    // The kernel holds a plan to reading, and gives nothing back.
    if ((asked === "plan") !== (this.#mode === "plan")) {
      if (this.#working !== null) {
        throw RequestError.invalidRequest(undefined, "a prompt is under way: cancel it, or wait");
      }
      if (this.#agent.state !== "idle") throw only_in_another();
    }
    this.#mode = asked;
    const { mode, confirm } = work_of(asked, confirm_of(this.#place));
    this.#agent.setMode(mode, confirm);
    await this.#tell({ sessionUpdate: "current_mode_update", currentModeId: asked });
    await this.#tell_options();
    return {};
  }

  async set_option(id: string, value: unknown) {
    if (typeof value !== "string" || value === "") {
      throw RequestError.invalidParams({ value }, "not a value of this option");
    }
    const chosen = value === SERVERS_OWN ? "" : value;
    if (id === "mode") await this.set_mode(value);
    else if (id === "model") this.#agent.setModel(this.#model = chosen);
    else if (id === "effort") this.#agent.setEffort(this.#effort = chosen || undefined);
    else throw RequestError.invalidParams({ configId: id }, `there is no option ${id}`);
    if (id !== "mode") await this.#tell_options();
    return { configOptions: this.#options() };
  }

  /** What a client gets without asking, once it knows of the session. */
  async tell_about(): Promise<void> {
    await this.#tell_commands();
    this.#models = await found_names(this.#place);
    await this.#tell_options();
  }

  async close(): Promise<void> {
    await this.#agent?.close();
  }

  readonly #log = (line: string) => this.io.err(`hamr: ${line}\n`);
  readonly #warn = (words: string) => {
    for (const update of this.#updates.noted("warning", words)) void this.#tell(update);
  };

  /** `starts_over`: one in which nothing was done yet is forgotten. */
  async #is_saved(setup: Handed, id: string, starts_over = false): Promise<boolean> {
    using saved = await opened(setup, this.io);
    if (starts_over) await forget_empty(saved, id);
    return exactly(saved, id) !== null;
  }

  async #setup({ cwd, mcpServers = [], additionalDirectories = [] }: SessionAsked) {
    const { flags, overrides } = this.handed;
    const asked = {
      flags: {
        ...flags,
        directory: cwd,
        add_dir: [...flags.add_dir, ...additionalDirectories],
        ...(mcpServers.length === 0 ? {} : { mcp_handed: handed_json(mcpServers) }),
      },
      overrides,
    };
    const place = await load_settings(asked, this.io);
    // Somebody is there to be asked.
    const asks: readonly Override[] = origin(place, "agent.confirm").source === "default"
      ? [{ key: "agent.confirm", value: "sensitive", where: "hamr acp" }]
      : [];
    return { flags: asked.flags, overrides: [...overrides, ...asks] };
  }

  async #make(
    setup: Pick<
      ConstructorParameters<typeof Agent>[0],
      "flags" | "overrides" | "resumed" | "session_id"
    >,
  ) {
    const environ = this.io.environ();
    const place = await load_settings(setup, this.io);
    const asker = () => ({ client: this.client, session: this.#agent.sessionId });
    this.#place = place;
    this.#flags = setup.flags;
    const { agent, provider } = place.settings;
    this.#mode = chosen_in(agent);
    this.#effort = agent.reasoning_effort;
    this.#model = provider.model;
    this.#updates = new Updates(place.workspace, this.capable);
    this.#agent = new Agent({
      ...setup,
      io: { environ: () => environ },
      embedded: false,
      ask: permission_asker(asker, (call) => this.#updates.diff_of(call)),
      clarify: this.capable.elicitation?.form ? words_asker(asker) : null,
      editor: editor_files(this.capable, { asker, warn: this.#warn }),
    });
  }

  async #answer(
    blocks: PromptRequest["prompt"],
    { sessionId, over }: { sessionId: string; over: AbortSignal },
  ): Promise<PromptResponse> {
    if (is_spent(this.#agent) || this.#footing.lost) throw only_in_another();
    // If this process is lost before that is heard, another one can do it.
    await this.client.notify(BEGUN, {});
    // Images are made smaller, and servers may have to start.
    const prepared = await Promise.race([this.#prepared(blocks, over), null_on_abort(over)]);
    if (prepared === null) return { stopReason: "cancelled" };
    const { text, images, task, model, context } = prepared;
    if (!this.#titled) {
      this.#titled = true;
      await this.#tell({ sessionUpdate: "session_info_update", title: line(text, TITLE_CHARS) });
    }
    if (model !== null) this.#agent.setModel(model);
    this.#updates.begin();
    const run = this.#agent.run(task, {
      ...{ talks: true, signal: over, images },
      ...(context === "" ? {} : { context }),
    });
    for await (const event of run) {
      for (const update of this.#updates.of(event)) void this.#tell(update, sessionId);
    }
    const result = await run.result;
    // A short task may end before they have started.
    void servers_of(this.#agent)?.states().then(() => this.#tell_commands());
    if (model !== null) this.#agent.setModel(this.#model);
    const stopReason = stop_reason(result);
    for (const content of await answer_images(result.final_output, this.#place.workspace)) {
      await this.#tell({ sessionUpdate: "agent_message_chunk", content }, sessionId);
    }
    const { error } = result;
    if (error !== null && stopReason !== "cancelled") {
      const words = harmless(`${ended(result.stop_reason)}: ${error.message}`);
      if (result.status === "failed") {
        throw new RequestError(INTERNAL, words, { stop_reason: result.stop_reason });
      }
      const content = { type: "text" as const, text: `\n\n⚠ ${words}\n` };
      await this.#tell({ sessionUpdate: "agent_message_chunk", content });
    }
    return { stopReason };
  }

  async #prepared(blocks: PromptRequest["prompt"], signal: AbortSignal) {
    const { workspace } = this.#place;
    const { text, images } = await prompted(blocks, { workspace, signal });
    const asked = await commanded_prompt(text, {
      ...{ place: this.#place, flags: this.#flags, io: this.io },
      ...{ mode: work_of(this.#mode, "all").mode, running: servers_of(this.#agent) },
      warn: this.#warn,
    });
    return { text, images, ...asked };
  }

  async #tell(update: SessionUpdate, sessionId = this.#agent.sessionId): Promise<void> {
    try {
      const shown = { sessionId, update: harmless_update(update) };
      await this.client.notify(methods.client.session.update, shown);
    } catch {
      // Nobody hears it anymore: the end of the connection ends all else.
    }
  }

  #options() {
    return config_options({
      ...{ mode: this.#mode, model: this.#model, models: this.#models, effort: this.#effort },
    });
  }

  async #tell_options(): Promise<void> {
    await this.#tell({ sessionUpdate: "config_option_update", configOptions: this.#options() });
  }

  /** Sent only where they differ from what the client knows. */
  async #tell_commands(): Promise<void> {
    const availableCommands = available_commands(this.#place, servers_of(this.#agent));
    const written = JSON.stringify(availableCommands);
    if (written === this.#commands) return;
    this.#commands = written;
    await this.#tell({ sessionUpdate: "available_commands_update", availableCommands });
  }

  #state(): LoadSessionResponse {
    return harmless_update({ modes: modes_of(this.#mode), configOptions: this.#options() });
  }
}

/** MCP servers of a client in the format of `--mcp-config`, where one that can't be used costs a warning. */
function handed_json(servers: readonly unknown[]): string {
  // Pairs of a name and a value in the protocol; some clients have a table, or nothing.
  const table = (pairs: unknown) =>
    Array.isArray(pairs)
      ? Object.fromEntries(pairs.map(fields).map(({ name, value }) => [name, value]))
      : pairs ?? undefined;
  const mcpServers = Object.fromEntries(
    servers.map(fields).map(({ name, env, headers, ...entry }) => {
      return [String(name), { ...entry, env: table(env), headers: table(headers) }];
    }),
  );
  return JSON.stringify({ mcpServers });
}
