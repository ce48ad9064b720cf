/** Reads the events of many workspaces, round by round: each round reads what became visible since the one before. */
import type { Database } from '../../models/db/database.js';
import { pageSize, readMoreEvents, readNewEvents, type StreamedEvent } from '../../models/operations/streams/read-events.js';
import { positionAfter, type Position, type Progress, progressAt } from '../../models/rules/streams/position.js';

/** How far a page of events takes a reader. */
export interface PageEnd {
  /** No event of the stretch comes after this page. */
  isLast: boolean;
  progress: Progress;
}

export function endOfPage(events: readonly StreamedEvent[], progress: Progress): PageEnd {
  const last = events.at(-1);
  if (last === undefined || events.length < pageSize) return { isLast: true, progress: progressAt(progress.goal) };
  return { isLast: false, progress: { ...progress, position: positionAfter(progress, last.seq) } };
}

/** A page of events of all workspaces. */
export interface EventPage {
  events: readonly StreamedEvent[];
  /** The position of viewers that have not received the page yet. */
  progress: Progress;
  /** The round has no further page. */
  isLast: boolean;
}

/** Used when no event is read, so any snapshot is right. */
const anySnapshot = '1:1:';

export class RoundReader {
  #progress: Progress | null = null;

  constructor(private readonly db: Database) {}

  /** The position of viewers that have received everything so far. Null before the first round, and while a round has further pages or has failed. */
  get settled(): Position | null {
    return this.#progress === null || this.#progress.position.reading !== null ? null : this.#progress.position;
  }

  /** The position at the end of the last complete round; null before the first one. */
  get complete(): Position | null {
    return this.#progress === null ? null : { ...this.#progress.position, reading: null };
  }

  /** Forgets the position. The next round shows nothing. */
  reset(): void {
    this.#progress = null;
  }

  /**
   * Shows the new events page by page. A round that fails is continued by the next one.
   * @param show is called in the moment in which the position changes
   */
  async round(workspaceIds: readonly string[], show: (page: EventPage) => void): Promise<void> {
    if (this.#progress !== null) await this.#finish(workspaceIds, this.#progress, show);
    const position = this.complete;
    const found = await readNewEvents(this.db, position === null ? [] : workspaceIds, position?.seen ?? anySnapshot);
    const goal: Position = { at: found.at, seen: found.until, reading: null };
    const progress = this.#show({ position: position ?? goal, goal }, found.events, show);
    await this.#finish(workspaceIds, progress, show);
  }

  async #finish(workspaceIds: readonly string[], begun: Progress, show: (page: EventPage) => void): Promise<void> {
    let progress = begun;
    for (;;) {
      const { position } = progress;
      if (position.reading === null) return;
      const stretch = { seen: position.seen, until: position.reading.until, after: position.reading.seq };
      progress = this.#show(progress, await readMoreEvents(this.db, workspaceIds, stretch), show);
    }
  }

  #show(progress: Progress, events: readonly StreamedEvent[], show: (page: EventPage) => void): Progress {
    const end = endOfPage(events, progress);
    if (events.length > 0) show({ events, progress, isLast: end.isLast });
    this.#progress = end.progress;
    return end.progress;
  }
}
