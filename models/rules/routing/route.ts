/** Which account a message goes by: in proportion to the weights, less where an account is ill. */

/** Full health; 0: the account gets probes only. */
export const levelMax = 10;

/** How an account stands at a moment. */
export interface Standing {
  account: string;
  /** 0: stands by. */
  weight: number;
  /** 0 to `levelMax`. */
  level: number;
}

/**
 * Why an account was chosen. `only`: its channel has no other. `share`: by weight, all being well. `moved`: by weight, while others are
 * ill. `probe`: to see whether it is well again. `failover`: another account has just failed. `same_account`: an earlier call may have reached it.
 */
export const routeReasons = ['only', 'share', 'moved', 'probe', 'failover', 'same_account'] as const;
export type RouteReason = (typeof routeReasons)[number];

/** The same in words, for the timeline. */
export const routeTexts: Readonly<Record<RouteReason, string>> = {
  only: 'its channel has no other account',
  share: 'by its share of the channel',
  moved: 'by its share of the channel while another account is ill',
  probe: 'to see whether it is well again',
  failover: 'because another account had just failed',
  same_account: 'because an earlier call may have reached it',
};

/** Whom to call, and whom instead. */
export interface RouteChoice {
  reason: RouteReason;
  /** The best first; `share`: percent of the channel's messages that go by it at present. */
  accounts: readonly { account: string; share: number }[];
}

/**
 * The part of the traffic that each account gets, from 0 to 1, adding up to 1. An account has its weight in proportion to its level; what
 * is lost by that goes to those that stand by. Where all are ill nothing is known to be better, and the weights count alone.
 */
export function sharesOf(standings: readonly Standing[]): number[] {
  const lost = standings.reduce((sum, { weight, level }) => sum + weight * (1 - level / levelMax), 0);
  const standbys = standings.reduce((sum, { weight, level }) => sum + (weight === 0 ? level : 0), 0);
  const parts = standings.map(({ weight, level }) => (weight > 0 ? (weight * level) / levelMax : (lost * level) / Math.max(1, standbys)));
  const whole = parts.some((part) => part > 0) ? parts : standings.map(({ weight }) => weight);
  const sum = whole.reduce((total, part) => total + part, 0);
  return whole.map((part) => part / sum);
}

/**
 * The accounts of a round of hand-offs.
 * @param standings of all accounts of a channel, one at least with a weight
 * @param draw from 0 up to 1, evenly spread
 */
export function chooseRoute(standings: readonly Standing[], draw: number): RouteChoice {
  const shares = sharesOf(standings);
  // Who stands by and is well takes what fails elsewhere, also while it has no share.
  const able = standings.flatMap(({ account, level }, at) => {
    const share = shares[at] ?? 0;
    return share > 0 || level > 0 ? [{ account, share }] : [];
  });
  let left = draw;
  const chosen = able.find(({ share }) => (left -= share) < 0) ?? able.findLast(({ share }) => share > 0);
  const others = able.filter((each) => each !== chosen).toSorted((one, other) => other.share - one.share);
  const accounts = [...(chosen === undefined ? [] : [chosen]), ...others];
  const isWell = standings.every(({ level }) => level === levelMax);
  return {
    reason: standings.length === 1 ? 'only' : isWell ? 'share' : 'moved',
    accounts: accounts.map(({ account, share }) => ({ account, share: Math.round(share * 100) })),
  };
}

const golden = (Math.sqrt(5) - 1) / 2;

/**
 * The draw of a group's round: the same whenever it is asked, evenly spread over groups by the random part of their ids, and over the
 * rounds of one group too, so that a batch is shared out as the weights say.
 */
export function drawOf(groupId: string, round: number): number {
  const random = Number.parseInt(groupId.slice(-12), 16) / 2 ** 48;
  return (random + round * golden) % 1;
}
