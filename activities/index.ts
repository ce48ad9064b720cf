/** All activities. Workflows import the type only. */
import type { Config } from '../models/settings/config.js';
import type { Database } from '../models/db/database.js';
import type { Logger } from '../models/process/logger.js';
import { Attempts } from './webhooks/attempts.js';
import type { SharedEndpointStats } from './webhooks/shared-endpoint-stats.js';
import { closingActivities } from './watch/closing.js';
import { countingActivities } from './watch/counting.js';
import { emailActivities } from './emails.js';
import { groupActivities } from './groups/groups.js';
import { maintenanceActivities } from './watch/watcher-maintenance.js';
import { erasingActivities } from './watch/erasing.js';
import { eachWithHeartbeat } from './support/heartbeat.js';
import { dispatcher, givingUpActivities, messageActivities } from './messages.js';
import type { WebhookPoster } from './webhooks/post-webhook.js';
import type { Providers } from './handoff/providers/provider.js';
import type { SlotSharesOfThread } from './handoff/slot-shares.js';
import { repairActivities } from './watch/repair.js';
import { restoredActivities } from './reports/restored.js';
import { webhookOperationActivities } from './webhooks/webhook-operations.js';
import { webhookActivities } from './webhooks/webhooks.js';
import type { WorkflowStarts } from './support/workflow-starts.js';

export interface ActivityDeps {
  db: Database;
  config: Config;
  logger: Logger;
  providers: Providers;
  /** Which accounts use the slots of this thread. */
  slots?: SlotSharesOfThread | undefined;
  poster: WebhookPoster;
  /** What all threads of the process know of endpoints. */
  endpoints?: SharedEndpointStats | undefined;
  /** Aborted when the worker has to stop. Activities then begin nothing new. */
  stopping?: AbortSignal;
  /** The watcher starts workflows itself, and a hand-off signals its own. All other activities return what the workflow has to start. */
  starts: WorkflowStarts;
}

export function createActivities(deps: ActivityDeps) {
  const attempts = new Attempts(deps);
  const dispatch = dispatcher(deps);
  return {
    ...messageActivities(deps, dispatch),
    ...givingUpActivities(deps),
    ...groupActivities({ ...deps, attempts, dispatch }),
    ...webhookActivities(deps, attempts),
    ...webhookOperationActivities(deps, attempts),
    ...emailActivities(deps),
    ...restoredActivities(deps),
    ...eachWithHeartbeat({
      ...closingActivities(deps),
      ...countingActivities(deps),
      ...erasingActivities(deps),
      ...repairActivities(deps),
      ...maintenanceActivities(deps),
    }),
  };
}

export type Activities = ReturnType<typeof createActivities>;
