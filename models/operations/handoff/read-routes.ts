import type { Channel } from '../../channels.js';
import { type Database, select } from '../../db/database.js';
import { levelMax, type Route, sharesOf } from '../../rules/routing/route.js';

/** An account on a channel, as an operator sees it. */
export interface RouteState {
  channel: string;
  account: string;
  weight: number;
  /** Percent. 100: healthy. 0: gets probes only. Null: not judged, because none of its channels has another account. */
  health: number | null;
  /** The percentage of the channel's messages that go through it now. */
  share: number;
  /** The provider asked for no calls until then. */
  held_until: Date | null;
}

export interface RouteChange {
  account: string;
  at: Date;
  from_level: number;
  to_level: number;
  reason: string;
}

/** The accounts of all channels with their present share, and the last changes of health, newest first. */
export async function readRoutes(
  db: Database,
  routes: Readonly<Record<Channel, readonly Route[]>>,
  changesMax: number,
): Promise<{ states: RouteState[]; changes: RouteChange[] }> {
  const [healths, holds, changes] = await Promise.all([
    select<{ account: string; level: number }>(db, 'SELECT account, level FROM route_health'),
    select<{ provider: string; held_until: Date }>(db, 'SELECT provider, held_until FROM provider_pace WHERE held_until > now()'),
    select<RouteChange>(db, 'SELECT account, at, from_level, to_level, reason FROM route_changes ORDER BY id DESC LIMIT $1', [changesMax]),
  ]);
  const levelOf = (account: string) => healths.find((health) => health.account === account)?.level ?? levelMax;
  const heldUntil = (account: string) => holds.find(({ provider }) => provider === account)?.held_until ?? null;
  const judged = new Set(Object.values(routes).flatMap((route) => (route.length < 2 ? [] : route.map(({ account }) => account))));
  const healthOf = (account: string) => (judged.has(account) ? (levelOf(account) * 100) / levelMax : null);
  const states = Object.entries(routes).flatMap(([channel, ofChannel]) => {
    // As in routing, an account with a hold gets nothing while there are others.
    const shares = sharesOf(
      ofChannel.map((route) => ({ ...route, level: heldUntil(route.account) === null ? levelOf(route.account) : 0 })),
    );
    return ofChannel.map(({ account, weight }, index) => {
      const percents = { health: healthOf(account), share: Math.round((shares[index] ?? 0) * 100) };
      return { channel, account, weight, ...percents, held_until: heldUntil(account) };
    });
  });
  return { states, changes };
}
