/** Chooses the accounts for the next round of a group. */
import { type Channel, channels } from '../../models/channels.js';
import type { Choices } from '../../models/operations/handoff/claim-handoffs.js';
import { chooseRoute, drawOf, type RouteChoice } from '../../models/rules/routing/route.js';
import type { Provider } from './providers/provider.js';
import type { RoundDeps } from './round-deps.js';

export interface RoundRoute {
  choices: Choices;
  /** Accounts that get only probes. A message that such an account may have taken waits for it. */
  resting: readonly string[];
  /** The round has one message, which tests whether an account works again. */
  isProbe: boolean;
}

/**
 * The accounts for a round of a group.
 * @param round counts from 0
 * @param mayProbe false after a probe: a group makes one probe at most
 */
export async function routeOfRound(
  { providers, throughput, health }: Pick<RoundDeps, 'providers' | 'throughput' | 'health'>,
  groupId: string,
  { round, mayProbe }: { round: number; mayProbe: boolean },
): Promise<RoundRoute> {
  await health.exchange();
  const probed = mayProbe ? await health.claimAccountProbe(groupId) : undefined;
  const draw = drawOf(groupId, round);
  const choiceFor = (channel: Channel): RouteChoice => {
    const routes = providers.routes[channel];
    if (probed !== undefined && routes.some(({ account }) => account === probed)) {
      return { reason: 'probe', accounts: [{ account: probed, share: 0 }] };
    }
    // An account that throttles gets nothing while there are others.
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

/** Whether the provider is called again to find out about a call whose answer was lost. */
export const callsAgain = ({ idempotent, reconcile }: Provider) => idempotent || reconcile !== undefined;
