/** The activities of messages with a stub of a provider, in a database with a workspace for each test. */
import { givingUpActivities } from '../../../activities/messages.js';
import type { Wake } from '../../../models/operations/reports/record-reports.js';
import type { Provider } from '../../../activities/handoff/providers/provider.js';
import { everywhere, silentLogger as logger } from '../../support/carriers/stub-provider.js';
import { testConfig } from '../../support/config.js';
import { workspaceForEach } from '../../support/for-each.js';
import { inActivity } from '../../support/temporal/in-activity.js';
import { messageActivities } from '../../support/parts/activities.js';

/** What `dispatchMessages` returns when nothing is left to do. */
export const done = { open: 0, queued: 0, deliveries: 0, reports: false, paused: false };

/** Call it in a `describe`: it registers the hooks. */
export function useMessageActivities() {
  const test = workspaceForEach({ balance: 1_000_000 });
  const woken: string[] = [];
  beforeEach(() => void woken.splice(0));
  const wake = async ({ groupId }: Wake) => void woken.push(groupId);
  const activitiesWith = (provider: Provider, env: NodeJS.ProcessEnv = {}, leaseSeconds = 0) => {
    const deps = {
      db: test.db,
      config: testConfig(env),
      logger,
      providers: everywhere(provider),
      starts: { wakeGroup: wake },
      leaseSeconds,
    };
    return { ...messageActivities(deps), ...givingUpActivities(deps) };
  };
  const dispatch = (provider: Provider, groupId: string) => inActivity(activitiesWith(provider).dispatchMessages, [groupId]);
  return { test, activitiesWith, dispatch, /** The groups whose workflows were signalled. */ woken };
}
