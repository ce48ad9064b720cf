/** The choice of an account for a message: in proportion to the weights, and less for failing accounts. */

/** Full health. With level 0, an account gets probes only. */
export const levelMax = 10;

/** An account that serves a channel, with its weight. */
export interface Route {
  account: string;
  /** Messages are distributed in proportion to the weights. 0: a standby, which takes over from failing accounts. */
  weight: number;
}

/** The accounts that serve a channel, standbys included. */
export const servingAccounts = (routes: Readonly<Record<string, readonly Route[]>>): ReadonlySet<string> =>
  new Set(Object.values(routes).flatMap((each) => each.map(({ account }) => account)));

/** The state of an account. */
export interface AccountStanding {
  account: string;
  /** 0: a standby. */
  weight: number;
  /** 0 to `levelMax`. */
  level: number;
}

/**
 * Why an account was chosen. `only`: its channel has no other. `share`: by weight, and all accounts are healthy. `moved`: by weight, while
 * others are failing. `probe`: to test whether it is healthy again. `failover`: another account has just failed. `same_account`: an earlier
 * call may have reached it.
 */
export const routeReasons = ['only', 'share', 'moved', 'probe', 'failover', 'same_account'] as const;
export type RouteReason = (typeof routeReasons)[number];

/** The texts of the reasons, for the timeline. */
export const routeTexts: Readonly<Record<RouteReason, string>> = {
  only: 'its channel has no other account',
  share: 'by its share of the channel',
  moved: 'by its share of the channel, because another account is failing',
  probe: 'to test whether it is healthy again',
  failover: 'because another account had just failed',
  same_account: 'because an earlier call may have reached it',
};

/** The account to call, and the ones to call after a failure. */
export interface RouteChoice {
  reason: RouteReason;
  /** In order of preference. `share`: the present percentage of the channel's messages that go through it. */
  accounts: readonly { account: string; share: number }[];
}

/**
 * The share of the traffic that each account gets, from 0 to 1, with the sum 1. Each account gets its weight in proportion to its level,
 * and the standbys get the rest. If all are failing, none is known to be better, and only the weights count.
 */
export function sharesOf(standings: readonly AccountStanding[]): number[] {
  const lost = standings.reduce((sum, { weight, level }) => sum + weight * (1 - level / levelMax), 0);
  const standbys = standings.reduce((sum, { weight, level }) => sum + (weight === 0 ? level : 0), 0);
  const parts = standings.map(({ weight, level }) => (weight > 0 ? (weight * level) / levelMax : (lost * level) / Math.max(1, standbys)));
  const whole = parts.some((part) => part > 0) ? parts : standings.map(({ weight }) => weight);
  const sum = whole.reduce((total, part) => total + part, 0);
  return whole.map((part) => part / sum);
}

/**
 * The accounts for a round of hand-offs.
 * @param standings of all accounts of a channel, at least one of them with a weight
 * @param draw from 0 up to 1, evenly distributed
 */
export function chooseRoute(standings: readonly AccountStanding[], draw: number): RouteChoice {
  const shares = sharesOf(standings);
  // A healthy standby takes over from failing accounts, also without a share.
  const able = standings.flatMap(({ account, level }, at) => {
    const share = shares[at] ?? 0;
    return share > 0 || level > 0 ? [{ account, share }] : [];
  });
  let left = draw;
  const chosen = able.find(({ share }) => (left -= share) < 0) ?? able.findLast(({ share }) => share > 0);
  const others = able.filter((each) => each !== chosen).toSorted((one, other) => other.share - one.share);
  const accounts = [...(chosen === undefined ? [] : [chosen]), ...others];
  const reasonAmongOthers = standings.every(({ level }) => level === levelMax) ? 'share' : 'moved';
  return {
    reason: standings.length === 1 ? 'only' : reasonAmongOthers,
    accounts: accounts.map(({ account, share }) => ({ account, share: Math.round(share * 100) })),
  };
}

const golden = (Math.sqrt(5) - 1) / 2;

/**
 * The draw for a group's round. It is the same for each call. It is evenly distributed over groups, by the random part of their ids, and
 * over the rounds of one group, so that a batch is divided according to the weights.
 */
export function drawOf(groupId: string, round: number): number {
  const random = Number.parseInt(groupId.slice(-12), 16) / 2 ** 48;
  return (random + round * golden) % 1;
}
