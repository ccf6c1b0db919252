/** What `/` does in a chat. */
import type { Agent } from "../../app/agent.ts";
import type { RunSettings } from "../../app/settings.ts";
import { nearest } from "../../config/text.ts";
import { dollars } from "../../model/pricing.ts";
import type { Mode } from "../../guards/rule.ts";
import type { ChatScreen } from "../../ui/chat/screen.ts";
import { type ThemeName, THEMES } from "../../ui/chat/theme.ts";
import { percent, short } from "../../ui/text.ts";
import type { First } from "./first.ts";

/** The conversation, as far as commands work on it. */
export interface ChatState {
  readonly agent: Agent;
  readonly screen: ChatScreen;
  readonly settings: RunSettings;
  /** Whether there is a session to be resumed. */
  readonly begun: boolean;
  readonly mode: Mode;
  /** As flags. */
  readonly own_mode: readonly string[];
  /** A line of hamr's own. */
  note(text: string): void;
  set_mode(mode: Mode): Promise<void>;
  /** Makes the conversation smaller, as a run does where its window is full. */
  compact(): Promise<void>;
  set_theme(name: ThemeName): void;
  /** The command that has to pass at the end of each task; empty: none. */
  set_verify(command: string): void;
  /** Goes on with these flags, if they can be used. */
  widen(flags: readonly string[]): Promise<void>;
  /** Begins another conversation in the place of this one. */
  again(args: readonly string[], first?: First): Promise<void>;
  /** Goes on with this one in a new start. */
  resume(args: readonly string[], first?: First): Promise<void>;
  quit(): void;
}

interface ChatCommand {
  readonly name: string;
  /** What other agents call it. */
  readonly also?: readonly string[];
  /** What follows it, as help shows it. */
  readonly takes?: string;
  readonly help: string;
  /** Whether it can be done while a task is under way. */
  readonly any_time?: true;
  run(rest: string, chat: ChatState): void | Promise<void>;
}

const MODE_NAMES: readonly Mode[] = ["auto", "ask", "plan", "patch", "verify"];

/** What needs the session, and rights that a conversation has given up. */
async function with_session(
  chat: ChatState,
  { needs_session = true, ...first }: First & { readonly needs_session?: boolean },
): Promise<void> {
  if (needs_session && !chat.begun) return chat.note("nothing has been done yet");
  await chat.resume([], first);
}

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

/** Every command, in the order of the help. */
export const CHAT_COMMANDS: readonly ChatCommand[] = [
  {
    name: "help",
    help: "list the commands",
    any_time: true,
    run(_, { screen }) {
      for (const { name, takes = "", help } of CHAT_COMMANDS) {
        screen.log.note(`/${`${name} ${takes}`.trim().padEnd(20)} ${help}`);
      }
    },
  },
  {
    name: "model",
    takes: "[NAME]",
    help: "show the model, or switch to another from the next task on",
    run(name, chat) {
      const { provider } = chat.settings.settings;
      if (name === "") return chat.note(`model: ${provider.model || "the server's own"}`);
      chat.agent.setModel(name);
      chat.screen.status.names(name);
      chat.note(`model ${name} from the next task on`);
    },
  },
  {
    name: "mode",
    takes: "[MODE]",
    help: "show the mode, or change it: auto, ask, plan or patch",
    run(name, chat) {
      if (name === "") return chat.note(`mode: ${chat.mode}`);
      const wanted = MODE_NAMES.find((one) => one === name && one !== "verify");
      if (wanted === undefined) return chat.note(`no mode ${name}: auto, ask, plan or patch`);
      return chat.set_mode(wanted);
    },
  },
  {
    name: "verify",
    takes: "[COMMAND]",
    help: "the command that must pass at the end, from the next task on; without one, none",
    run(command, chat) {
      chat.set_verify(command);
      chat.note(command === "" ? "no verification" : `must pass at the end: ${command}`);
    },
  },
  {
    name: "permissions",
    also: ["approvals", "sandbox", "status"],
    takes: "[FLAGS]",
    help: "show what commands may do, or widen it: /permissions --allow-write=DIR --allow-net",
    run(flags, chat) {
      if (flags !== "") return chat.widen(words(flags));
      return with_session(chat, { args: ["doctor", "--verbose"], needs_session: false });
    },
  },
  {
    name: "diff",
    help: "show what the last task changed",
    any_time: true,
    run(_, chat) {
      const diff = chat.agent.lastTurnDiff;
      chat.note(diff === "" ? "the last task changed nothing" : diff.trimEnd());
    },
  },
  {
    name: "undo",
    takes: "[--step N]",
    help: "restore the files that the session changed, or one of its steps",
    run(rest, chat) {
      const args = ["undo", chat.agent.sessionId, ...words(rest)];
      return with_session(chat, { args, told: "I ran `hamr undo` on what you changed:" });
    },
  },
  {
    name: "rewind",
    also: ["tree", "backtrack"],
    help: "go back to an earlier message: the conversation, the files, or both (esc esc)",
    run: (_, chat) => with_session(chat, { pick: "message" }),
  },
  {
    name: "compact",
    help: "summarize the conversation so far, to make room in the model's window",
    run: (_, chat) => chat.compact(),
  },
  {
    name: "context",
    help: "show how full the model's window is",
    any_time: true,
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
    also: ["usage"],
    help: "show the tokens and the cost so far",
    any_time: true,
    run(_, { agent, screen }) {
      const { totalTokens, totalCost } = agent;
      const cost = totalCost === null ? "no price known" : dollars(totalCost);
      screen.log.note(`${short(totalTokens)} tokens, ${cost}`);
    },
  },
  {
    name: "tools",
    help: "list the tools that the model is offered",
    any_time: true,
    run(_, { agent, screen }) {
      screen.log.note(agent.tools.join(", ") || "not known before the first task");
    },
  },
  {
    name: "memory",
    help: "list what is remembered about this workspace",
    run: (_, chat) => with_session(chat, { args: ["memory", "list"], needs_session: false }),
  },
  {
    name: "new",
    also: ["clear"],
    help: "start a new conversation",
    run: (_, chat) => chat.again([]),
  },
  {
    name: "resume",
    takes: "[ID]",
    help: "continue a saved session; without an ID, pick one",
    run: (id, chat) => chat.resume([], { pick: "session", ...(id === "" ? {} : { wanted: id }) }),
  },
  {
    name: "sessions",
    help: "pick a saved session to continue",
    run: (_, chat) => chat.resume([], { pick: "session" }),
  },
  {
    name: "rename",
    also: ["name"],
    takes: "NAME",
    help: "name this session, for lists",
    run(name, chat) {
      if (name === "") return chat.note("/rename NAME names this session");
      return with_session(chat, { args: ["sessions", "rename", chat.agent.sessionId, "--", name] });
    },
  },
  {
    name: "export",
    takes: "FILE",
    help: "write the conversation to a file, as Markdown",
    run(file, chat) {
      if (file === "") return chat.note("name a file: /export talk.md");
      const path = file.startsWith("/") ? file : `${chat.settings.workspace}/${file}`;
      return with_session(chat, { args: ["sessions", "show", chat.agent.sessionId], file: path });
    },
  },
  {
    name: "theme",
    takes: "[NAME]",
    help: "show the colors, or change them: auto, light, dark or none",
    any_time: true,
    run(name, chat) {
      if (name === "") return chat.note(`theme: ${chat.screen.theme.name}`);
      const wanted = THEMES.find((one) => one === name);
      if (wanted === undefined) return chat.note(`no theme ${name}: auto, light, dark or none`);
      chat.set_theme(wanted);
      chat.note(`theme ${wanted}; [chat] theme = "${wanted}" in your settings keeps it`);
    },
  },
  {
    name: "quit",
    also: ["exit", "q"],
    help: "end the conversation; hamr chat --continue picks it up again",
    any_time: true,
    run: (_, chat) => chat.quit(),
  },
];

/** The command of this name, ours or, where nobody has written one of that name, another agent's. */
function chat_command(name: string): ChatCommand | undefined {
  return CHAT_COMMANDS.find((one) => one.name === name || one.also?.includes(name));
}

/** Whether this is a command that need not wait for the end of a task. */
export function any_time(text: string): boolean {
  const [, name = ""] = /^\/(\S*)/.exec(text) ?? [];
  return chat_command(name)?.any_time ?? false;
}

/** Runs what was typed. */
export async function run_command(text: string, chat: ChatState): Promise<void> {
  const [, name = "", rest = ""] = /^\/(\S*)\s*(.*)$/s.exec(text) ?? [];
  const command = chat_command(name);
  if (command !== undefined) {
    await command.run(rest.trim(), chat);
  } else {
    const near = nearest(name, CHAT_COMMANDS.map((one) => one.name));
    chat.note(`no command /${name}${near === null ? "" : `; /${near}?`}`);
  }
  chat.screen.render();
}
