/** The health of accounts that share a channel. Workers exchange their counts through the database once a second. */
import { channels } from '../../models/channels.js';
import type { Database } from '../../models/db/database.js';
import type { Logger } from '../../models/process/logger.js';
import { type AccountHealth, claimAccountProbe, noteCalls } from '../../models/operations/handoff/account-health.js';
import { levelMax } from '../../models/rules/routing/route.js';
import { slowMsOf } from '../../models/rules/routing/account-level.js';
import type { Providers } from './providers/provider.js';

/** A call in progress. */
export interface Call {
  readonly account: string;
  /** By `performance.now()`: a call and a change of the level may lie in the same millisecond, and the clock of the day can be set back. */
  readonly startedAt: number;
  /** The call was counted as too slow before its end. */
  isCounted: boolean;
}

/** The result of a call for the health of its account. `none` is not counted. */
export type CallVerdict = 'good' | 'bad' | 'none';

export const exchangeEveryMs = 1_000;

export class AccountHealthMonitor {
  /** Account → channels that have several accounts. Other accounts are not counted, because there is no choice. */
  readonly #channelsOf = new Map<string, string[]>();
  readonly #slowMs = new Map<string, number>();
  readonly #counts = new Map<string, { calls: number; bad: number }>();
  readonly #running = new Set<Call>();
  #healths = new Map<string, AccountHealth & { readAt: number; changedAt: number }>();
  #exchangedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly deps: { db: Database; logger: Logger; windowSeconds: number },
    { accounts, routes }: Providers,
  ) {
    for (const { name, deadlineMs } of accounts.values()) this.#slowMs.set(name, slowMsOf(deadlineMs));
    for (const channel of channels) {
      if (routes[channel].length < 2) continue;
      for (const { account } of routes[channel]) this.#channelsOf.set(account, [...(this.#channelsOf.get(account) ?? []), channel]);
    }
  }

  /** From 0 to `levelMax`. Up to a second old. */
  levelOf(account: string): number {
    return this.#healths.get(account)?.level ?? levelMax;
  }

  begin(account: string): Call | undefined {
    if (!this.#channelsOf.has(account)) return undefined;
    const call = { account, startedAt: performance.now(), isCounted: false };
    this.#running.add(call);
    return call;
  }

  end(call: Call | undefined, end: CallVerdict): void {
    if (call === undefined) return;
    this.#running.delete(call);
    if (call.isCounted || end === 'none') return;
    this.#count(call, end === 'bad' || this.#isSlow(call, performance.now()));
  }

  /** Once a second: stores the counts of this worker, and reads the health that all workers have measured. */
  async exchange(now = performance.now()): Promise<void> {
    if (this.#channelsOf.size === 0 || now - this.#exchangedAt < exchangeEveryMs) return;
    this.#exchangedAt = now;
    for (const call of this.#running) {
      if (call.isCounted || !this.#isSlow(call, now)) continue;
      call.isCounted = true;
      this.#count(call, true);
    }
    const counts = [...this.#channelsOf.keys()].map((account) => ({ account, ...(this.#counts.get(account) ?? { calls: 0, bad: 0 }) }));
    this.#counts.clear();
    const { healths, changes } = await noteCalls(this.deps.db, counts, this.deps.windowSeconds);
    const changedAt = (sinceSeconds: number) => performance.now() - sinceSeconds * 1000;
    this.#healths = new Map(
      healths.map((health) => [health.account, { ...health, readAt: now, changedAt: changedAt(health.since_seconds) }]),
    );
    for (const change of changes) this.deps.logger[change.to_level > change.from_level ? 'info' : 'warn'](change, 'account health changed');
  }

  /** @returns the account that the caller may probe with a message of the group */
  async claimAccountProbe(groupId: string): Promise<string | undefined> {
    for (const [account, health] of this.#healths) {
      if (health.level > 0 || health.probe_in_ms === null || health.readAt + health.probe_in_ms > performance.now()) continue;
      health.probe_in_ms = null; // read again within a second
      const bind = { groupId, channels: this.#channelsOf.get(account) ?? [], windowSeconds: this.deps.windowSeconds };
      if (await claimAccountProbe(this.deps.db, account, bind)) return account;
    }
    return undefined;
  }

  #isSlow({ account, startedAt }: Call, now: number): boolean {
    return now - startedAt > (this.#slowMs.get(account) ?? slowMsOf());
  }

  /** Ignores a call that began before the last change of the level, because the change has taken it into account. */
  #count({ account, startedAt }: Call, isBad: boolean): void {
    const health = this.#healths.get(account);
    if (health !== undefined && startedAt < health.changedAt) return;
    const { calls, bad } = this.#counts.get(account) ?? { calls: 0, bad: 0 };
    this.#counts.set(account, { calls: calls + 1, bad: bad + (isBad ? 1 : 0) });
  }
}
