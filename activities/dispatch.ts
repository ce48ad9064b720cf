/** Hands the due messages of one group to their providers, round by round. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import type { Database } from '../models/database.js';
import { batchPace, reserveSlots } from '../models/operations/batch-pace.js';
import { cancelPage } from '../models/operations/change-batch.js';
import { claimHandoffs } from '../models/operations/claim-handoffs.js';
import { completeBatchIfDone } from '../models/operations/complete-batch.js';
import { giveUpOnHandoffs } from '../models/operations/give-up.js';
import { type GroupWork, groupState } from '../models/operations/group-work.js';
import { recordHandoffs } from '../models/operations/record-handoffs.js';
import { handOff } from './hand-off.js';
import type { Providers } from './providers/provider.js';

/** What is left of a group after a dispatch. */
export interface Dispatched extends GroupWork {
  /** The activity's time was up while there was more to do: call it again at once. */
  more: boolean;
}

const providerDeadlineMs = 10_000;
const roundMax = 25;
/** Rounds a second of a batch with a rate: small rounds keep the pace even, and a pause close. */
const roundsPerSecond = 4;
/** A page of a slow batch is dispatched in slices, each well below the activity's time-out. */
const sliceMs = 20_000;

/**
 * One slice of the dispatch of a group.
 * @throws ApplicationFailure `NotHandedOff`, retryable, when the provider took nothing of what was tried
 */
export async function dispatch(db: Database, providers: Providers, groupId: string, batchId: string | undefined): Promise<Dispatched> {
  const startedAt = Date.now();
  const rounds = new Rounds(db, providers, groupId, batchId !== undefined);
  let more = false;
  for (;;) {
    const pace = batchId === undefined ? { cancelled: false, rate: null } : await batchPace(db, batchId);
    if (pace.cancelled) break;
    const size = pace.rate === null ? roundMax : Math.min(roundMax, Math.max(1, Math.round(pace.rate / roundsPerSecond)));
    // The claim comes after the wait: a pause that is answered meanwhile is kept.
    if (batchId !== undefined && pace.rate !== null) await sleep(await reserveSlots(db, batchId, size));
    if ((await rounds.next(size)) < size) break;
    more = Date.now() - startedAt > sliceMs;
    if (more) break;
  }
  if (batchId !== undefined) await finishPage(db, groupId, batchId);
  if (rounds.tookNothing) throw notHandedOff(rounds.retryAfterMs);
  return { ...(await groupState(db, groupId)), more };
}

/** What came back after its batch was cancelled is cancelled too; where nobody knows what became of it, that is said. */
async function finishPage(db: Database, groupId: string, batchId: string): Promise<void> {
  const { cancelled } = await batchPace(db, batchId);
  if (cancelled) {
    await cancelPage(db, groupId);
    await giveUpOnHandoffs(db, groupId);
  }
  await completeBatchIfDone(db, batchId);
}

class Rounds {
  readonly #tried: string[] = [];
  #settled = 0;
  retryAfterMs = 0;

  constructor(
    private readonly db: Database,
    private readonly providers: Providers,
    private readonly groupId: string,
    private readonly inBatch: boolean,
  ) {}

  get tookNothing(): boolean {
    return this.#tried.length > 0 && this.#settled === 0;
  }

  /** Claims up to so many messages, calls their providers side by side, records what came of it. @returns how many there were */
  async next(limit: number): Promise<number> {
    const providerOf = Object.fromEntries(Object.entries(this.providers).map(([channel, { name }]) => [channel, name]));
    const claims = await claimHandoffs(this.db, this.groupId, providerOf, { limit, except: this.#tried, inBatch: this.inBatch });
    const signal = AbortSignal.timeout(providerDeadlineMs);
    const handoffs = await Promise.all(claims.map((claim) => handOff(this.providers[claim.channel], claim, signal)));
    await recordHandoffs(
      this.db,
      handoffs.map(({ result }) => result),
    );
    this.#tried.push(...claims.map(({ id }) => id));
    this.#settled += handoffs.filter(({ result }) => result.outcome === 'accepted' || result.outcome === 'rejected').length;
    this.retryAfterMs = Math.max(this.retryAfterMs, ...handoffs.map((handoff) => handoff.retryAfterMs));
    return claims.length;
  }
}

function notHandedOff(retryAfterMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'NotHandedOff',
    message: 'the provider took none of the messages',
    ...(retryAfterMs > 0 ? { nextRetryDelay: retryAfterMs } : {}),
  });
}
