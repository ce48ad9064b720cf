/** Queries the providers after a restore for messages that are handed off according to the database. */
import { activityInfo } from '@temporalio/activity';
import type { Database } from '../../models/db/database.js';
import { erasureKey } from '../../models/operations/erasure/erasure-key.js';
import { recordReports, type Wake } from '../../models/operations/reports/record-reports.js';
import type { Logger } from '../../models/process/logger.js';
import type { Config } from '../../models/settings/config.js';
import { noteQueried, type Unqueried, unqueriedMessages } from '../../models/operations/recovery/unqueried-messages.js';
import { withHeartbeat } from '../support/heartbeat.js';
import type { Providers } from '../handoff/providers/provider.js';
import { queryReports } from './query-report.js';

/** Calls in parallel. Few, so that a recovery does not use up the limits of the providers. */
const atOnce = 10;
/** Messages for each activity call. Fits into its timeout even if every query times out. */
const perCall = 30;
/** At this attempt of the activity, about 15 s after the first, messages count as queried although all their queries failed. */
const attemptsMax = 5;
const unqueriedText = 'status queries of a recovery failed: their messages are queried again only when their reports are overdue';

interface RestoredDeps {
  db: Database;
  config: Pick<Config, 'secretKeys'>;
  providers: Providers;
  logger: Logger;
}

export interface QueriedPage {
  /** Groups whose workflow must be woken to apply the reports. */
  wakes: Wake[];
  /** More messages are left. */
  more: boolean;
}

export function restoredActivities({ db, config, providers, logger }: RestoredDeps) {
  return {
    /**
     * Queries the providers for the next messages of a recovery and stores the reports in the inbox. Each message is queried once, or up to five
     * times if all queries fail.
     */
    askRestored: (recoveryId: string): Promise<QueriedPage> =>
      withHeartbeat(async () => {
        const key = await erasureKey(db, config.secretKeys);
        const unqueried = await unqueriedMessages(db, recoveryId, perCall);
        const wakes: Wake[] = [];
        for (let from = 0; from < unqueried.length; from += atOnce) {
          const some = unqueried.slice(from, from + atOnce);
          const { reports, answered, faults } = await queryReports(
            providers,
            some.flatMap((message) => awaited(providers, message)),
          );
          // If all fail, the fault is probably ours. A carrier that is gone must not stop the recovery.
          if (answered === 0 && faults.length > 0 && activityInfo().attempt < attemptsMax) {
            if (from > 0) return { wakes, more: true }; // the next call begins with these
            throw faults[0];
          }
          if (faults.length > 0) logger.warn({ err: faults[0], failed: faults.length }, unqueriedText);
          wakes.push(...(await recordReports(db, reports, key)));
          await noteQueried(
            db,
            recoveryId,
            some.map(({ id }) => id),
          );
        }
        return { wakes, more: unqueried.length === perCall };
      }),
  };
}

/** What the provider is queried with; nothing for a message that needs no query, or whose provider has none. */
const awaited = ({ accounts }: Providers, { id, provider, provider_message_id, waits }: Unqueried) =>
  waits && provider !== null && provider_message_id !== null && accounts.get(provider)?.fetchStatus !== undefined
    ? [{ id, provider, provider_message_id }]
    : [];
