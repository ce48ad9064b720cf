/** All activities, made from what they need. The type is what workflows see. */
import type { Config } from '../models/config.js';
import type { Database } from '../models/database.js';
import type { Logger } from '../models/logger.js';
import { Attempts } from './attempts.js';
import { closingActivities } from './closing.js';
import { emailActivities } from './emails.js';
import { groupActivities } from './groups.js';
import { maintenanceActivities } from './maintenance.js';
import { dispatcher, givingUpActivities, messageActivities } from './messages.js';
import type { WebhookPoster } from './post-webhook.js';
import type { Providers } from './providers/provider.js';
import { repairActivities } from './repair.js';
import { restoredActivities } from './restored.js';
import { webhookOperationActivities } from './webhook-operations.js';
import { webhookActivities } from './webhooks.js';
import type { WorkflowStarts } from './workflow-starts.js';

export interface ActivityDeps {
  db: Database;
  config: Config;
  logger: Logger;
  providers: Providers;
  poster: WebhookPoster;
  /** Aborted as soon as the worker is told to stop: no activity begins anything new. */
  stopping?: AbortSignal;
  /** For the watcher only: all other activities return what is to be started. */
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
    ...webhookOperationActivities(deps),
    ...emailActivities(deps),
    ...closingActivities(deps),
    ...repairActivities(deps),
    ...maintenanceActivities(deps),
    ...restoredActivities(deps),
  };
}

export type Activities = ReturnType<typeof createActivities>;
