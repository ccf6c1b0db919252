/** What `/` does in a chat. */
import type { Agent } from "../app/agent.ts";
import type { RunSettings } from "../app/settings.ts";
import { nearest } from "../config/text.ts";
import { dollars } from "../model/pricing.ts";
import type { Mode } from "../guards/rule.ts";
import type { ChatScreen } from "../ui/chat/screen.ts";
import { percent, short } from "../ui/text.ts";

/** What the commands work on. */
export interface ChatState {
  readonly agent: Agent;
  readonly screen: ChatScreen;
  readonly settings: RunSettings;
  mode(): Mode;
  set_mode(mode: Mode): Promise<void>;
  /** Begins another conversation in the place of this one. */
  restart(args: readonly string[]): Promise<void>;
  quit(): void;
}

interface ChatCommand {
  readonly name: string;
  /** What follows it, as help shows it. */
  readonly takes?: string;
  readonly help: string;
  run(rest: string, state: ChatState): void | Promise<void>;
}

const MODE_NAMES: readonly Mode[] = ["auto", "ask", "plan", "patch", "verify"];

/** Every command, in the order of the help. */
export const CHAT_COMMANDS: readonly ChatCommand[] = [
  {
    name: "help",
    help: "list the commands",
    run(_, { screen }) {
      for (const { name, takes = "", help } of CHAT_COMMANDS) {
        screen.log.note(`/${`${name} ${takes}`.trim().padEnd(16)} ${help}`);
      }
    },
  },
  {
    name: "model",
    takes: "[NAME]",
    help: "show the model, or take another one from the next task on",
    run(name, { agent, screen, settings }) {
      const { provider } = settings.settings;
      if (name === "") return screen.log.note(`model: ${provider.model || "the server's own"}`);
      agent.setModel(name);
      screen.status.names(name);
      screen.log.note(`model ${name} from the next task on`);
    },
  },
  {
    name: "mode",
    takes: "[MODE]",
    help: "show the mode, or change it: auto, ask, plan or patch",
    run(name, { screen, mode, set_mode }) {
      if (name === "") return screen.log.note(`mode: ${mode()}`);
      const wanted = MODE_NAMES.find((one) => one === name && one !== "verify");
      if (wanted === undefined) return screen.log.note(`no mode ${name}: auto, ask, plan or patch`);
      return set_mode(wanted);
    },
  },
  {
    name: "diff",
    help: "show what the last task changed",
    run(_, { agent, screen }) {
      const diff = agent.lastTurnDiff;
      screen.log.note(diff === "" ? "the last task changed nothing" : diff.trimEnd());
    },
  },
  {
    name: "context",
    help: "show how full the model's window is",
    run(_, { screen }) {
      const { used, size } = screen.status.window;
      screen.log.note(
        size === 0
          ? "not known before the first task"
          : `${short(used)} of ${short(size)} tokens (${percent(used, size)})`,
      );
    },
  },
  {
    name: "cost",
    help: "show the tokens and the cost so far",
    run(_, { agent, screen }) {
      const { totalTokens, totalCost } = agent;
      const cost = totalCost === null ? "no price known" : dollars(totalCost);
      screen.log.note(`${short(totalTokens)} tokens, ${cost}`);
    },
  },
  { name: "new", help: "begin a new conversation", run: (_, { restart }) => restart([]) },
  {
    name: "resume",
    takes: "[ID]",
    help: "go on with a saved session; without an ID, the newest of this workspace",
    run: (id, { restart }) => restart(id === "" ? ["--continue"] : ["--resume", id]),
  },
  {
    name: "quit",
    help: "end the conversation; hamr chat --continue takes it up again",
    run: (_, { quit }) => quit(),
  },
];

/** Runs what was typed. */
export async function run_command(text: string, state: ChatState): Promise<void> {
  const [, name = "", rest = ""] = /^\/(\S*)\s*(.*)$/s.exec(text) ?? [];
  const command = CHAT_COMMANDS.find((one) => one.name === name);
  if (command !== undefined) return await command.run(rest.trim(), state);
  const near = nearest(name, CHAT_COMMANDS.map((one) => one.name));
  state.screen.log.note(`no command /${name}${near === undefined ? "" : `; /${near}?`}`);
}
