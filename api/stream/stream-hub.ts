/**
 * The open streams of this process. It reads the events for all of them with one statement a round, while there are any.
 *
 * It does not LISTEN: each commit with a NOTIFY takes a lock of the whole database server, and sends must not wait for viewers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../models/db/database.js';
import { createConcurrencyLimit } from '../../models/flow/concurrency-limit.js';
import { apiMetrics } from '../../models/metrics/catalogue.js';
import { deleteStream } from '../../models/operations/streams/open-stream.js';
import { readEvents, startOfStretch } from '../../models/operations/streams/read-events.js';
import type { Logger } from '../../models/process/logger.js';
import type { Config } from '../../models/settings/config.js';
import { groupBy } from '../../models/rules/values/group-by.js';
import { positionAfter, progressAt } from '../../models/rules/streams/position.js';
import { eventBlocks, idBlock } from './event-blocks.js';
import { endOfPage, type EventPage, RoundReader } from './round-reader.js';
import { createUpkeep } from './stream-upkeep.js';
import { type Audience, Viewer, type ViewerOptions } from './viewer.js';

/** The time between two rounds. An event is shown after half of it on average. */
const roundMs = 150;
/** After a failure: PostgreSQL may be starting. */
const failureMs = 500;
/** Shorter than the idle timeouts of common proxies. */
const heartbeatMs = 15_000;
/** When this process ends, its clients connect again spread over this time. */
const spreadMs = { min: 500, max: 3_000 };
/** How long the end of a process waits until the rows of its streams are deleted, while PostgreSQL does not answer. They also expire. */
const deleteMsMax = 2_000;
/** How many pages are read at the same time for viewers that are behind: of all workspaces, and of one. */
const pagesAtOnce = { max: 4, maxPerKey: 1 };

export class StreamHub implements Audience {
  readonly #viewers = new Set<Viewer>();
  readonly #deleting = new Set<Promise<void>>();
  readonly #reader: RoundReader;
  readonly #limit = createConcurrencyLimit(pagesAtOnce);
  readonly #upkeep: () => Promise<void>;
  readonly #heartbeat: NodeJS.Timeout;
  #isRunning = false;
  #isClosed = false;

  constructor(
    private readonly db: Database,
    private readonly logger: Logger,
    { consoleIdleHours }: Pick<Config, 'consoleIdleHours'>,
  ) {
    this.#reader = new RoundReader(db);
    this.#upkeep = createUpkeep(db, this.#viewers, consoleIdleHours, (viewer) => this.#tellMissed(viewer));
    apiMetrics.streams.set(0);
    this.#heartbeat = setInterval(() => this.#keepAlive(), heartbeatMs).unref();
  }

  /** A stream, to be written to a response. */
  viewer(options: ViewerOptions): Viewer {
    return new Viewer(this, options);
  }

  add(viewer: Viewer): void {
    if (this.#isClosed) return viewer.dismiss(spreadMs.min);
    this.#viewers.add(viewer);
    apiMetrics.streams.set(this.#viewers.size);
    if (!this.#isRunning) void this.#run();
  }

  remove(viewer: Viewer): void {
    this.#viewers.delete(viewer);
    apiMetrics.streams.set(this.#viewers.size);
    // If this fails, the stream counts until its row expires.
    const deleting = deleteStream(this.db, viewer.options.id)
      .catch(() => undefined)
      .finally(() => this.#deleting.delete(deleting));
    this.#deleting.add(deleting);
  }

  ready(viewer: Viewer): void {
    if (viewer.state === 'behind') void this.#catchUp(viewer);
  }

  /** Ends all streams. Their clients connect to another process and continue from their position. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    for (const viewer of this.#viewers) viewer.dismiss(Math.round(spreadMs.min + Math.random() * (spreadMs.max - spreadMs.min)));
    await Promise.race([Promise.all(this.#deleting), sleep(deleteMsMax, undefined, { ref: false })]);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let isFailing = false;
    while (this.#viewers.size > 0) {
      try {
        await this.#upkeep(); // first: after an outage, a viewer learns that events are missing before it gets the next ones
        await this.#round();
        if (isFailing) this.logger.info('streams read events again');
        isFailing = false;
      } catch (err) {
        if (!isFailing) this.logger.warn({ err }, 'streams cannot read events: viewers get them later');
        isFailing = true;
      }
      await sleep(isFailing ? failureMs : roundMs);
    }
    this.#reader.reset();
    this.#isRunning = false;
  }

  async #round(): Promise<void> {
    const viewers = [...this.#viewers];
    // The workspaces of all viewers, not only of the live ones: a viewer may become live while the statement runs.
    const workspaceIds = [...new Set(viewers.map(({ options }) => options.workspaceId))];
    await this.#reader.round(workspaceIds, (page) => this.#show(page));
    for (const viewer of viewers) {
      if (viewer.state !== 'waiting') continue;
      viewer.state = 'behind';
      void this.#catchUp(viewer);
    }
  }

  /** Shows a page to the live viewers. A viewer whose client has not read the last page yet falls behind, and reads this one later. */
  #show({ events, progress, isLast }: EventPage): void {
    const ofWorkspace = groupBy(events, ({ workspace_id }) => workspace_id);
    const blocks = new Map([...ofWorkspace].map(([workspaceId, own]) => [workspaceId, eventBlocks(own, progress, isLast)]));
    for (const viewer of this.#viewers) {
      const block = blocks.get(viewer.options.workspaceId);
      if (viewer.state !== 'live' || block === undefined) continue;
      if (viewer.isFull) viewer.fallBehind(progress);
      else viewer.write(block);
    }
  }

  #tellMissed(viewer: Viewer): void {
    const { complete } = this.#reader;
    viewer.reset(viewer.state === 'live' && complete !== null ? complete : viewer.progress.position);
  }

  /** Reads for one viewer until it has the position of the others, or until its client must read what was written. */
  async #catchUp(viewer: Viewer): Promise<void> {
    let isFailing = false;
    while (viewer.state === 'behind' && !viewer.isFull) {
      const { position } = viewer.progress;
      const { settled, complete } = this.#reader;
      const hasCaughtUp = complete !== null && position.reading === null && position.seen === complete.seen;
      if (complete === null || hasCaughtUp) {
        // In the middle of a round it waits for the end, because it would miss the first pages.
        viewer.state = hasCaughtUp && settled !== null ? 'live' : 'waiting';
        return;
      }
      try {
        await this.#limit(() => this.#readFor(viewer), viewer.options.workspaceId);
        isFailing = false;
      } catch (err) {
        if (!isFailing) this.logger.warn({ err }, 'a stream cannot read its events: its viewer gets them later');
        isFailing = true;
        await sleep(failureMs);
      }
    }
  }

  async #readFor(viewer: Viewer): Promise<void> {
    const { workspaceId } = viewer.options;
    const { complete } = this.#reader;
    if (complete === null || viewer.state !== 'behind') return;
    if (viewer.progress.position.reading === null) {
      const { position } = viewer.progress;
      const seq = await startOfStretch(this.db, workspaceId, { seen: position.seen, until: complete.seen });
      viewer.progress =
        seq === null ? progressAt(complete) : { position: positionAfter({ position, goal: complete }, seq), goal: complete };
    }
    const { progress } = viewer;
    const { seen, reading } = progress.position;
    if (reading === null) return;
    const events = await readEvents(this.db, workspaceId, { seen, until: reading.until, after: reading.seq });
    const end = endOfPage(events, progress);
    if (events.length > 0) viewer.write(eventBlocks(events, progress, end.isLast));
    viewer.progress = end.progress;
  }

  #keepAlive(): void {
    const { settled } = this.#reader;
    if (settled === null) return;
    const block = idBlock(settled);
    for (const viewer of this.#viewers) if (viewer.state === 'live' && !viewer.isFull) viewer.write(block);
  }
}
