import type { LiveNews } from "../live_news.ts";

/** Who looks on while commands are under way. */
export class LookingOn {
  /** Hears what the person's own command prints. */
  printed: ((text: string) => void) | undefined;
  /** Hears all else; absent: nobody does. */
  heard: ((news: LiveNews) => void) | undefined;

  take(news: LiveNews): void {
    if (news.type === "printed" && this.printed !== undefined) this.printed(news.text);
    else this.heard?.(news);
  }
}
