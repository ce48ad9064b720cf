/** One open stream: what was written to it, and whether its client keeps up. */
import type { Writable } from 'node:stream';
import { type Position, type Progress, progressAt } from '../../models/rules/streams/position.js';
import type { Feed } from '../http/reply.js';
import { idBlock, resetBlock, retryBlock } from './event-blocks.js';

/** Whose stream it is, and where it begins. */
export interface ViewerOptions {
  id: string;
  workspaceId: string;
  /** The API key; null with a JWT. */
  keyId: string | null;
  token: { id: string; version: number; expiresAt: Date } | null;
  position: Position;
  /** Events before the position may be missing. */
  isReset: boolean;
  /** Every event since then was written when the stream was opened. */
  since: Date;
}

/** The viewers of a process. Each viewer joins and leaves them, and says when it can receive more. */
export interface Audience {
  add(viewer: Viewer): void;
  remove(viewer: Viewer): void;
  /** The client has read everything that was written. */
  ready(viewer: Viewer): void;
}

/** How long a client waits before it connects again, in milliseconds. */
const retryMs = 2_000;

export class Viewer implements Feed {
  /**
   * - `waiting`: for the end of a round that begins after the stream was opened.
   * - `behind`: it gets its events page by page from the database, as fast as its client reads.
   * - `live`: it has the position of the hub, and gets what the hub reads for all viewers.
   */
  state: 'waiting' | 'behind' | 'live' | 'ended' = 'waiting';
  /** The progress of the viewer. Not used while it is live. */
  progress: Progress;
  /** As in the options; later if events were not written for a time, because no process renewed the stream. */
  since: Date;
  #out: Writable | null = null;
  #isFull = false;

  constructor(
    private readonly audience: Audience,
    readonly options: ViewerOptions,
  ) {
    this.progress = progressAt(options.position);
    this.since = options.since;
  }

  /** Nothing more is written until the client has read: at most one page of events waits in memory for it. */
  get isFull(): boolean {
    return this.#isFull;
  }

  begin(out: Writable): void {
    this.#out = out;
    out.on('drain', () => {
      this.#isFull = false;
      this.audience.ready(this);
    });
    const { position, isReset } = this.options;
    this.write(retryBlock(retryMs));
    this.write(isReset ? resetBlock(position) : idBlock(position));
    this.audience.add(this);
  }

  end(): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.#out?.end();
    this.audience.remove(this);
  }

  /** Ends the stream. Its client connects again after this time. */
  dismiss(afterMs: number): void {
    this.write(retryBlock(afterMs));
    this.end();
  }

  /** Tells its client that events may be missing. @param position where the stream continues */
  reset(position: Position): void {
    this.write(resetBlock(position));
  }

  /** Its client has not read the last page yet. When it has, the next pages are read from here. */
  fallBehind(progress: Progress): void {
    this.state = 'behind';
    this.progress = progress;
  }

  /** Does nothing after the end: a page may be read for a stream that ends meanwhile, and an ended response is still `writable`. */
  write(block: Buffer): void {
    if (this.state === 'ended') return;
    if (this.#out?.writable === true && !this.#out.write(block)) this.#isFull = true;
  }
}
