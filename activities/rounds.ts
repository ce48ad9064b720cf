import type { Database } from '../models/database.js';
import { claimHandoffs } from '../models/operations/claim-handoffs.js';
import { recordHandoffs } from '../models/operations/record-handoffs.js';
import { type Handoff, handOff } from './hand-off.js';
import type { Providers } from './providers/provider.js';
import type { Throughput } from './throughput.js';

export interface RoundDeps {
  db: Database;
  providers: Providers;
  throughput: Throughput;
}

const providerDeadlineMs = 10_000;

/** The rounds of one dispatch of a group: each message is called for once, and again only when its provider asked for patience. */
export class Rounds {
  readonly #tried: string[] = [];
  #settled = 0;
  /** How long a provider that is away wants to be left alone. */
  retryAfterMs = 0;

  constructor(
    private readonly deps: RoundDeps,
    private readonly groupId: string,
    private readonly inBatch: boolean,
  ) {}

  /** Messages that further rounds leave out. */
  get tried(): readonly string[] {
    return this.#tried;
  }

  /** Messages that were taken or refused. */
  get settled(): number {
    return this.#settled;
  }

  /** Something was tried and came to nothing. */
  get tookNothing(): boolean {
    return this.#tried.length > 0 && this.#settled === 0;
  }

  /** Claims up to so many messages, calls their providers side by side, records what came of it. @returns whether there may be more */
  async next(limit: number): Promise<boolean> {
    const { db, providers } = this.deps;
    const providerOf = Object.fromEntries(Object.entries(providers).map(([channel, { name }]) => [channel, name]));
    const claims = await claimHandoffs(db, this.groupId, providerOf, { limit, except: this.#tried, inBatch: this.inBatch });
    const signal = AbortSignal.timeout(providerDeadlineMs);
    const handoffs = await Promise.all(claims.map((claim) => handOff(providers[claim.channel], claim, signal)));
    const throttled = await this.#note(handoffs);
    await recordHandoffs(
      db,
      handoffs.map(({ result }) => result),
    );
    return claims.length === limit || throttled;
  }

  async #note(handoffs: Handoff[]): Promise<boolean> {
    const { throughput } = this.deps;
    const patience = new Map<string, number>();
    for (const { result, retryAfterMs } of handoffs) {
      const { id, provider, outcome } = result;
      if (outcome === 'throttled') {
        patience.set(provider, Math.max(patience.get(provider) ?? 0, retryAfterMs));
        continue;
      }
      this.#tried.push(id);
      if (outcome === 'accepted') throughput.took(provider);
      if (outcome === 'accepted' || outcome === 'rejected') this.#settled += 1;
      else this.retryAfterMs = Math.max(this.retryAfterMs, retryAfterMs);
    }
    for (const [provider, forMs] of patience) await throughput.hold(provider, forMs);
    return patience.size > 0;
  }
}
