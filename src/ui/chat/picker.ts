/** Picks one item of a list, narrowed by typing: a session, an earlier message, a model. */
import {
  Container,
  fuzzyFilter,
  matchesKey,
  type SelectItem,
  SelectList,
  sliceByColumn,
  Text,
  visibleWidth,
} from "@earendil-works/pi-tui";
import type { Theme } from "./theme.ts";

export type Choice = SelectItem;

const SHOWN = 8;
/** Nobody searches through so many. */
const FEW = 3;
const CANCEL = ["escape", "ctrl+c", "ctrl+d"] as const;
/** Columns of what is chosen, before what is said of it: at most 40, or this part of a wide window. */
const LEAST = 12, MOST = 40, PART = 0.6;
const PRINTABLE = /^[^\x00-\x1f\x7f]+$/;

export class Picker extends Container {
  #list: SelectList | null = null;
  #done: (choice: Choice | null) => void = () => {};
  #title = "";
  #choices: readonly Choice[] = [];
  #filter = "";
  #unasked = false;
  readonly #columns = {
    minPrimaryColumnWidth: LEAST,
    maxPrimaryColumnWidth: MOST,
    truncatePrimary: shortened,
  };

  /** `typed`: whether something stands in the input. */
  constructor(
    private readonly theme: Theme,
    private readonly render_all: () => void,
    private readonly typed: () => boolean,
  ) {
    super();
  }

  /** Null: nothing is chosen, and an open list is closed. `unasked`: the person may be typing, so keys stay a message and choose nothing. */
  pick(
    title: string,
    choices: readonly Choice[],
    { unasked = false }: { unasked?: boolean } = {},
  ): Promise<Choice | null> {
    this.#done(null);
    const { promise, resolve } = Promise.withResolvers<Choice | null>();
    this.#done = (choice) => {
      this.#done = () => {};
      this.#list = null;
      this.clear();
      this.render_all();
      resolve(choice);
    };
    this.#title = title;
    this.#choices = choices;
    this.#filter = "";
    this.#unasked = unasked;
    this.#show();
    return promise;
  }

  override render(width: number): string[] {
    this.#columns.maxPrimaryColumnWidth = Math.max(MOST, Math.floor(width * PART));
    return super.render(width);
  }

  key(data: string): boolean {
    const list = this.#list;
    if (list === null) return false;
    if (this.#unasked && (this.typed() || PRINTABLE.test(data))) {
      if (matchesKey(data, "enter")) this.#done(null);
      if (!matchesKey(data, "escape")) return false;
    }
    if (CANCEL.some((key) => matchesKey(data, key))) this.#done(null);
    else if (matchesKey(data, "enter")) {
      const choice = list.getSelectedItem();
      // Nothing is chosen where nothing fits.
      if (choice !== null) this.#done(choice);
    } else if (matchesKey(data, "ctrl+u")) this.#typed("");
    else if (matchesKey(data, "backspace")) this.#typed(this.#filter.slice(0, -1));
    else if (PRINTABLE.test(data)) this.#typed(this.#filter + data);
    else list.handleInput(data);
    this.render_all();
    return true;
  }

  #typed(filter: string): void {
    this.#filter = filter;
    this.#show();
  }

  #show(): void {
    const { bold, dim } = this.theme;
    const found = this.#filter === ""
      ? [...this.#choices]
      : fuzzyFilter([...this.#choices], this.#filter, ({ label, description = "" }) =>
        `${label} ${description}`);
    this.#list = new SelectList(found, SHOWN, this.theme.select, this.#columns);
    this.clear();
    const few = this.#choices.length <= FEW;
    const typed = this.#filter !== "" ? this.#filter : few ? "" : dim("type to search");
    this.addChild(new Text(`${bold(this.#title)} ${typed}`, 0, 0));
    if (found.length > 0) this.addChild(this.#list);
    else this.addChild(new Text(dim("  nothing fits"), 0, 0));
    this.addChild(new Text(dim("  enter selects · esc cancels"), 0, 0));
    this.render_all();
  }
}

/** Of a name, such as a model's, both ends are shown: they tell one from another. */
function shortened({ text, maxWidth }: { text: string; maxWidth: number }): string {
  const width = visibleWidth(text);
  if (width <= maxWidth) return text;
  const end = /\s/.test(text) ? 0 : Math.floor(maxWidth / 2);
  return `${sliceByColumn(text, 0, maxWidth - 1 - end)}…${sliceByColumn(text, width - end, end)}`;
}
