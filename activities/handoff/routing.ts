/** Which accounts the next round of a group goes by. */
import { type Channel, channels } from '../../models/channels.js';
import type { Choices } from '../../models/operations/handoff/claim-handoffs.js';
import { chooseRoute, drawOf, type RouteChoice } from '../../models/rules/routing/route.js';
import type { Provider, Providers } from './providers/provider.js';
import type { RouteHealth } from './route-health.js';
import type { Throughput } from './throughput.js';

export interface RoundRoute {
  choices: Choices;
  /** Accounts that are left alone but for probes: messages of which one may have been taken already wait for it. */
  resting: readonly string[];
  /** The round is of one message, to see whether an account is well again. */
  isProbe: boolean;
}

export interface RoutingDeps {
  providers: Providers;
  throughput: Throughput;
  health: RouteHealth;
}

/**
 * The route of the round with this number of a group, from 0.
 * @param mayProbe the group has made no probe yet: its other messages are not to be probes too
 */
export async function routeOfRound(
  { providers, throughput, health }: RoutingDeps,
  groupId: string,
  { round, mayProbe }: { round: number; mayProbe: boolean },
): Promise<RoundRoute> {
  await health.look();
  const probed = mayProbe ? await health.claimProbe(groupId) : undefined;
  const draw = drawOf(groupId, round);
  const choiceFor = (channel: Channel): RouteChoice => {
    const routes = providers.routes[channel];
    if (probed !== undefined && routes.some(({ account }) => account === probed)) {
      return { reason: 'probe', accounts: [{ account: probed, share: 0 }] };
    }
    // Who has asked for patience gets nothing as long as there are others.
    const levelOf = (account: string) => (throughput.isHeld(account) ? 0 : health.levelOf(account));
    return chooseRoute(
      routes.map(({ account, weight }) => ({ account, weight, level: levelOf(account) })),
      draw,
    );
  };
  const choices = Object.fromEntries(channels.map((channel) => [channel, choiceFor(channel)])) as Choices;
  const resting = [...providers.accounts.values()].filter(
    (provider) => provider.name !== probed && health.levelOf(provider.name) === 0 && callsAgain(provider),
  );
  return { choices, resting: resting.map(({ name }) => name), isProbe: probed !== undefined };
}

/** Clearing up a call whose answer was lost needs another call. */
export const callsAgain = ({ idempotent, reconcile }: Provider) => idempotent || reconcile !== undefined;
