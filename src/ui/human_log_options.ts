/** What a log shares with those who write beside it. */
export interface LogScreen {
  /** Whether the user is being asked something on that terminal: the live line waits. */
  readonly asking: () => boolean;
  /** Ends the line of what is being streamed, and takes a live line away; false where there is neither. Set by the log. */
  end_line: () => boolean;
}

export function new_screen(asking = () => false): LogScreen {
  return { asking, end_line: () => false };
}

export interface HumanLogOptions {
  readonly write: (text: string) => void;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** A line a request. */
  readonly requests: boolean;
  readonly color: boolean;
  /** Columns of a line. */
  readonly width: number;
  /** stderr is a terminal: a live line while the model is awaited. */
  readonly live: boolean;
  readonly screen: LogScreen;
  /** Milliseconds without a line after which one says that the run is under way; 0: never. */
  readonly heartbeat_ms: number;
  /** Only in a chat: the key that shows what is cut short. Command output is shown there, and what is on screen already is not. */
  readonly unfolds?: string;
  /** Only in a chat, too: whether a call that went well at once gets a line that says so. */
  readonly says_ok?: true;
}
