/** The `/` commands of a chat. */
import type { Mode } from "../../guards/rule.ts";
import { resolved } from "../../permission/paths.ts";
import { THEMES } from "../../ui/chat/theme.ts";
import { line } from "../../ui/text.ts";
import { NO_FACTS } from "../base/facts.ts";
import { instead_of, OTHERS_TASKS } from "./instead.ts";
import type { ChatState } from "./state.ts";
import { name_model, pick_model, pick_model_at } from "./models.ts";
import { go_back, go_on_in_copy, pick_session } from "./picks.ts";
import { can_redo, facts_here, name_session } from "./saved.ts";
import { is_written } from "../servers/slash_commands.ts";
import { server_lines } from "./servers.ts";
import { in_session, NOT_CHANGED, undo_last } from "./session_commands.ts";
import { cost_words, status_lines, window_words } from "./status.ts";
import { written_commands } from "./custom_commands.ts";

interface ChatCommand {
  readonly name: string;
  /** What other agents call it. */
  readonly also?: readonly string[];
  /** What follows it, as help shows it. Absent: nothing does. */
  readonly takes?: string;
  readonly help: string;
  readonly any_time?: true;
  run(rest: string, chat: ChatState): void | Promise<void>;
}

const DIFF_LATER = "/diff all can be shown once the task has ended";
const ENDS_ONE = "!pkill -f WORDS ends those with these words; all of them end with hamr";
const COMMAND_CHARS = 200;
/** What the servers with levels of their own call them. */
const EFFORTS = /^(?:none|off|minimal|low|medium|high|xhigh|max)$/;
const LEVELS_KNOWN = "most know low, medium and high";
const TOOLS_LATER = "the tools are known once the next task begins";

const MODE_NAMES: readonly Mode[] = ["auto", "ask", "plan", "patch", "verify"];

/** States of an agent whose task is under way. */
const WORKING: ReadonlySet<string> = new Set(["running", "waiting_for_tool", "waiting_for_input"]);

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

const TABLE: Readonly<Record<string, Omit<ChatCommand, "name">>> = {
  help: {
    also: ["hotkeys", "keymap", "commands"],
    takes: "[COMMAND]",
    help: "list the commands",
    any_time: true,
    run(wanted, chat) {
      const { screen } = chat;
      const only = chat_command(wanted.replace(/^\//, ""));
      for (const { name, takes = "", help } of only === undefined ? CHAT_COMMANDS : [only]) {
        screen.log.note(`/${`${name} ${takes}`.trim().padEnd(19)} ${help}`);
      }
      if (only !== undefined) return;
      for (const { name, help } of written_commands(chat)) {
        screen.log.note(`/${name.padEnd(19)} ${help}`);
      }
      screen.log.note("!COMMAND             run a command; ? lists the keys");
    },
  },
  model: {
    also: ["models"],
    takes: "[NAME|URL]",
    help: "pick a model, of any server here or at a URL, or name one",
    run(name, chat) {
      if (name === "") return pick_model(chat);
      return /^https?:\/\//.test(name) ? pick_model_at(chat, name) : name_model(chat, name);
    },
  },
  effort: {
    also: ["thinking", "reasoning"],
    takes: "[LEVEL]",
    help: "show or set how hard the model thinks: low, medium or high",
    run(level, chat) {
      const { chosen } = chat;
      if (level === "") return chat.note(`effort: ${chosen.effort ?? "the server's own"}`);
      if (words(level).length > 1) return chat.note(`no effort ${level}: low, medium or high`);
      chosen.effort = level;
      const kept = `[agent] reasoning_effort = ${JSON.stringify(level)} in your settings keeps it`;
      const known = EFFORTS.test(level) ? "" : `, if the server knows it (${LEVELS_KNOWN})`;
      return chat.note(`effort ${level} from the next task on${known}; ${kept}`);
    },
  },
  stop: {
    also: ["cancel", "abort", "interrupt"],
    help: "interrupt the task; the model keeps what you saw (esc)",
    any_time: true,
    run(_, chat) {
      if (!chat.interrupt()) {
        chat.note("no task is under way; /ps lists what commands left running");
      }
    },
  },
  mode: {
    takes: "[MODE]",
    help: "show the mode, or change it: auto, ask, plan, patch",
    run(name, chat) {
      if (name === "") return chat.note(`mode: ${chat.chosen.mode}`);
      const wanted = MODE_NAMES.find((one) => one === name && one !== "verify");
      if (wanted === undefined) return chat.note(`no mode ${name}: auto, ask, plan or patch`);
      chat.chosen.mode = wanted;
      return chat.note(`mode ${wanted}`);
    },
  },
  btw: {
    also: ["side"],
    takes: "QUESTION",
    help: "ask about the task, beside it: the answer is kept nowhere",
    any_time: true,
    run: (question, chat) => chat.beside.ask(question),
  },
  plan: {
    takes: "[TASK]",
    help: "plan first: the workspace stays as it is until you agree",
    run(task, chat) {
      chat.chosen.mode = "plan";
      chat.note("mode plan");
      if (task !== "") void chat.submit(task);
    },
  },
  verify: {
    takes: "[COMMAND]",
    help: "a command that must pass after each task; empty: none",
    run(command, chat) {
      chat.chosen.verify = command;
      chat.note(command === "" ? "no verification" : `must pass at the end: ${command}`);
    },
  },
  status: {
    help: "show the session, model, window, cost and permissions",
    async run(_, chat) {
      (await status_lines(chat)).forEach((one) => chat.note(one));
    },
  },
  permissions: {
    also: ["approvals", "sandbox"],
    takes: "[FLAGS]",
    help: "show what commands may do; with flags, allow more",
    run(flags, chat) {
      if (flags !== "") return chat.widen(words(flags));
      return chat.allowed.forEach((one) => chat.note(one));
    },
  },
  diff: {
    takes: "[all]",
    help: "show the last changes, or all of the session",
    any_time: true,
    run(which, chat) {
      const { agent: { lastTurnDiff, state, sessionId }, begun, last_diff } = chat;
      const diff = WORKING.has(state) ? lastTurnDiff || last_diff : last_diff;
      if (which !== "" && which !== "all") {
        return chat.note(`no diff ${which}: /diff, or /diff all`);
      }
      if (which === "" && diff !== "") return chat.screen.log.diff(diff);
      if (WORKING.has(state) && which !== "") return chat.note(DIFF_LATER);
      if (WORKING.has(state) || !begun) return chat.note(NOT_CHANGED);
      return in_session(chat, { args: ["diff", sessionId], of_changes: true });
    },
  },
  undo: {
    takes: "[all]",
    help: "undo what the last task changed; all: the whole session",
    run: (rest, chat) => undo_last(chat, words(rest)),
  },
  redo: {
    help: "bring back what the last /undo took away",
    async run(_, chat) {
      if (chat.begun && !await can_redo(chat)) return chat.note("nothing to redo");
      const args = ["undo", chat.agent.sessionId, "--redo"];
      const told = "I ran `hamr undo --redo`: your changes are back:";
      await in_session(chat, { args, told, say: "redo of the last undo" });
    },
  },
  rewind: {
    also: ["tree", "backtrack", "timeline"],
    help: "go back to an earlier message, with its files (esc esc)",
    run: (_, chat) => go_back(chat),
  },
  fork: {
    also: ["clone"],
    help: "go on in a copy of this session, which stays as it is",
    run: (_, chat) => go_on_in_copy(chat),
  },
  compact: {
    also: ["summarize"],
    help: "summarize what was said, to make room in the window",
    run: (_, chat) => chat.compact(),
  },
  context: {
    help: "show how full the model's window is, and of what",
    any_time: true,
    run: (_, chat) => chat.note(window_words(chat)),
  },
  cost: {
    also: ["usage"],
    help: "show the tokens and the cost so far",
    any_time: true,
    run: (_, chat) => chat.note(cost_words(chat)),
  },
  tools: {
    help: "list the tools that the model is offered",
    any_time: true,
    run(_, { agent, screen }) {
      screen.log.note(agent.tools.join(", ") || TOOLS_LATER);
    },
  },
  ps: {
    also: ["bashes", "tasks"],
    help: "list the commands that run in the background",
    any_time: true,
    run(_, { background: { commands }, screen }) {
      for (const one of commands) screen.log.note(line(one, COMMAND_CHARS));
      screen.log.note(commands.length === 0 ? "nothing runs in the background" : ENDS_ONE);
    },
  },
  memory: {
    also: ["memories"],
    help: "list what is remembered about this workspace",
    async run(_, chat) {
      const facts = await facts_here(chat) ?? ["memory can't be read now"];
      for (const one of facts.length === 0 ? [NO_FACTS] : facts) chat.note(one);
    },
  },
  mcp: {
    also: ["mcps"],
    help: "list the MCP servers, and what they offer",
    async run(_, chat) {
      (await server_lines(chat)).forEach((one) => chat.note(one));
    },
  },
  new: {
    also: ["clear", "reset"],
    help: "start a new conversation",
    run: (_, chat) => chat.again(chat.chosen.flags, { shows: true }),
  },
  resume: {
    takes: "[ID]",
    help: "continue a saved session; without an ID, pick one",
    run: (id, chat) => pick_session(chat, id),
  },
  sessions: {
    takes: "[WORD]",
    help: "pick a saved session by a word of its task, to continue",
    run: (word, chat) => pick_session(chat, word),
  },
  rename: {
    also: ["name"],
    takes: "NAME",
    help: "name this session, for lists",
    run(name, chat) {
      if (name === "") return chat.note("/rename NAME names this session");
      if (!chat.begun) return chat.note("nothing has been done yet");
      return name_session(chat, name);
    },
  },
  export: {
    takes: "FILE",
    help: "write the conversation to a file, as Markdown",
    run(file, chat) {
      if (file === "") return chat.note("name a file: /export talk.md");
      const { workspace, environ } = chat.settings;
      const path = resolved(workspace, file.replace(/^~(?=\/)/, environ["HOME"] ?? "~"));
      return in_session(chat, { args: ["sessions", "show", chat.agent.sessionId], file: path });
    },
  },
  copy: {
    help: "copy the last answer to the clipboard",
    any_time: true,
    run: (_, { screen }) => screen.log.note(screen.copy()),
  },
  theme: {
    also: ["themes"],
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
  quit: {
    also: ["exit", "q"],
    help: "leave; hamr chat --continue picks it up again",
    any_time: true,
    run: (_, chat) => chat.quit(),
  },
};

export const CHAT_COMMANDS: readonly ChatCommand[] = Object.entries(TABLE).map(
  ([name, command]) => ({ name, ...command }),
);

/** The command of this name, ours or, where nobody has written one of that name, another agent's. */
function chat_command(name: string): ChatCommand | undefined {
  return CHAT_COMMANDS.find((one) => one.name === name || one.also?.includes(name));
}

/** Whether this is meant for a command: a path, as terminals write it for a dragged file, has more slashes. */
export function is_command(text: string): boolean {
  return /^\/[^\s/]*(?:\s|$)/.test(text);
}

/** Whether this need not wait for the end of a task: such a command of ours, or none that there is. */
export function any_time(text: string, { settings }: Pick<ChatState, "settings">): boolean {
  if (!is_command(text)) return false;
  const [name = ""] = text.slice(1).split(/\s/, 1);
  const ours = chat_command(name);
  if (ours !== undefined) return ours.any_time ?? false;
  return !OTHERS_TASKS.has(name) && !is_written(name, settings);
}

export async function run_command(text: string, chat: ChatState): Promise<void> {
  const [, name = "", rest = ""] = /^\/(\S*)\s*(.*)$/s.exec(text) ?? [];
  const command = chat_command(name);
  chat.screen.log.gap();
  const task = OTHERS_TASKS.get(name);
  if (command === undefined && task !== undefined && !chat.setup.look.plain) {
    chat.note(`/${name} is a task here: enter sends it`);
    chat.screen.editor.setText(task);
  } else if (command === undefined) {
    const names = CHAT_COMMANDS.map((one) => one.name);
    chat.note(`no command /${name}; ${instead_of(name, names)}`);
  } else if (command.takes === undefined && rest.trim() !== "") {
    chat.note(`/${name} takes no arguments: nothing was done`);
  } else {
    await command.run(rest.trim(), chat);
  }
  chat.screen.render();
}
