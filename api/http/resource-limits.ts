/**
 * How much of this process each client may use: memory for request bodies, concurrent bulk requests, and connections for costly reads.
 * docs/limits.md lists the values.
 */
import { type ConcurrencyLimit, createConcurrencyLimit } from '../../models/flow/concurrency-limit.js';
import type { UrgentWork } from '../../models/flow/give-way.js';
import { MemoryBudget } from '../../models/flow/memory-budget.js';
import { ReaderPlaces } from '../../models/flow/reader-places.js';
import { restWhileSending } from '../../models/flow/rest-while-sending.js';

export interface ResourceLimits {
  /** Body bytes of requests with a credential, counted per workspace. */
  workspaceMemory: MemoryBudget;
  /**
   * Body bytes of requests without a credential, counted per client address (IPv6: per /64, and per /48 together). When others use up all, each
   * address still has room for a login and for a usual delivery report.
   */
  addressMemory: MemoryBudget;
  /** Bytes of large answers to reads that the client has not taken yet, counted per workspace. */
  answerMemory: MemoryBudget;
  /** Concurrent requests with large bodies, counted per workspace. */
  bulkRequests: ConcurrencyLimit;
}

const megabyte = 1024 * 1024;
/** Clients give up after 30 s (`timeoutMs` of the TypeScript client), and should know that nothing was sent. */
export const bulkWaitMsMax = 25_000;

export const createResourceLimits = (): ResourceLimits => ({
  workspaceMemory: new MemoryBudget({ maxBytes: 64 * megabyte, maxBytesPerOwner: 16 * megabyte, guaranteedBytesPerOwner: 512 * 1024 }),
  addressMemory: new MemoryBudget({ maxBytes: 16 * megabyte, maxBytesPerOwner: 4 * megabyte, guaranteedBytesPerOwner: 32 * 1024 }),
  // A page of a hundred of the largest e-mails has 56 MB.
  answerMemory: new MemoryBudget({ maxBytes: 128 * megabyte, maxBytesPerOwner: 60 * megabyte, guaranteedBytesPerOwner: 4 * megabyte }),
  bulkRequests: createConcurrencyLimit({
    max: Number.POSITIVE_INFINITY,
    maxPerKey: 2,
    maxWaitingPerKey: 20,
    waitMsMax: bulkWaitMsMax,
  }),
});

/**
 * While single messages are sent, a read that took longer than usual rests afterwards: its place stays taken, so the next read of the workspace
 * waits. A search of all of 200,000 contacts takes a third of `heavyUseMs`.
 */
const readRest = { usualMs: 3, share: 8, msMax: 2_000, heavyUseMs: 1_500 };

/**
 * The turns of costly reads. Each read holds one connection to the database at a time, so half of the connections remain for sends and for
 * reads by id, and one workspace cannot take the other half alone.
 * While single messages are sent, the place of a long read stays taken for a while: the reads of one workspace then use a part of a core and not
 * all of two.
 * @param connections how many the main thread has
 * @param sends single messages that are being accepted
 */
export const createReadTurns = (connections: number, sends: Pick<UrgentWork, 'isRecent'>): ConcurrencyLimit =>
  createConcurrencyLimit({
    max: Math.max(1, Math.floor(connections / 2)),
    maxPerKey: 2,
    maxWaiting: 2_000,
    maxWaitingPerKey: 200,
    waitMsMax: 10_000,
    restMsAfter: restWhileSending(sends, readRest),
  });

/** The places of exports. Each export keeps a page of rows in memory, so their number is limited. */
export const createExportPlaces = (): ReaderPlaces => new ReaderPlaces({ max: 8, bytesPerSecond: 65_536, behindMsMax: 30_000 });
