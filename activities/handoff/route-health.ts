/** What this worker sees of the accounts that share a channel, told about once a second to all others, who tell it too. */
import { channels } from '../../models/channels.js';
import type { Database } from '../../models/db/database.js';
import type { Logger } from '../../models/process/logger.js';
import { type AccountHealth, claimProbe, noteCalls } from '../../models/operations/handoff/route-health.js';
import { levelMax } from '../../models/rules/routing/route.js';
import { slowMs } from '../../models/rules/routing/route-health.js';
import type { Providers } from './providers/provider.js';

/** A call that is under way. */
export interface Call {
  readonly account: string;
  readonly startedAt: number;
  /** It was counted before its end, as one that takes too long. */
  isCounted: boolean;
}

/** What came of a call, for the health of its account: `none` tells nothing. */
export type CallEnd = 'good' | 'bad' | 'none';

const tellEveryMs = 1_000;

export class RouteHealth {
  /** Account → channels; only those with somebody beside them: where there is no choice nothing is counted. */
  readonly #channelsOf = new Map<string, string[]>();
  readonly #counts = new Map<string, { calls: number; bad: number }>();
  readonly #underWay = new Set<Call>();
  #healths = new Map<string, AccountHealth & { readAt: number; changedAt: number }>();
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly deps: { db: Database; logger: Logger; windowSeconds: number },
    routes: Providers['routes'],
  ) {
    for (const channel of channels) {
      if (routes[channel].length < 2) continue;
      for (const { account } of routes[channel]) this.#channelsOf.set(account, [...(this.#channelsOf.get(account) ?? []), channel]);
    }
  }

  /** From 0 to `levelMax`, as it was known a second ago. */
  levelOf(account: string): number {
    return this.#healths.get(account)?.level ?? levelMax;
  }

  begin(account: string): Call | undefined {
    if (!this.#channelsOf.has(account)) return undefined;
    const call = { account, startedAt: Date.now(), isCounted: false };
    this.#underWay.add(call);
    return call;
  }

  end(call: Call | undefined, end: CallEnd): void {
    if (call === undefined) return;
    this.#underWay.delete(call);
    if (call.isCounted || end === 'none') return;
    this.#count(call, end === 'bad' || Date.now() - call.startedAt > slowMs);
  }

  /** Tells what was seen and learns what others have, when it is time for that. */
  async look(now = Date.now()): Promise<void> {
    if (this.#channelsOf.size === 0 || now - this.#toldAt < tellEveryMs) return;
    this.#toldAt = now;
    for (const call of this.#underWay) {
      if (call.isCounted || now - call.startedAt <= slowMs) continue;
      call.isCounted = true;
      this.#count(call, true);
    }
    const counts = [...this.#channelsOf.keys()].map((account) => ({ account, ...(this.#counts.get(account) ?? { calls: 0, bad: 0 }) }));
    this.#counts.clear();
    const { healths, changes } = await noteCalls(this.deps.db, counts, this.deps.windowSeconds);
    const changedAt = (sinceSeconds: number) => Date.now() - sinceSeconds * 1000;
    this.#healths = new Map(
      healths.map((health) => [health.account, { ...health, readAt: now, changedAt: changedAt(health.since_seconds) }]),
    );
    for (const change of changes) this.deps.logger.warn(change, 'route changed');
  }

  /** An account whose probe this caller may make with a message of the group. */
  async claimProbe(groupId: string, now = Date.now()): Promise<string | undefined> {
    for (const [account, health] of this.#healths) {
      if (health.level > 0 || health.probe_in_ms === null || health.readAt + health.probe_in_ms > now) continue;
      health.probe_in_ms = null; // known anew in a second
      const bind = { groupId, channels: this.#channelsOf.get(account) ?? [], windowSeconds: this.deps.windowSeconds };
      if (await claimProbe(this.deps.db, account, bind)) return account;
    }
    return undefined;
  }

  /** A call that began before the level changed tells of that time: the change has answered it. */
  #count({ account, startedAt }: Call, isBad: boolean): void {
    const health = this.#healths.get(account);
    if (health !== undefined && startedAt < health.changedAt) return;
    const { calls, bad } = this.#counts.get(account) ?? { calls: 0, bad: 0 };
    this.#counts.set(account, { calls: calls + 1, bad: bad + (isBad ? 1 : 0) });
  }
}
