/** What is done for messages that a restored database holds as handed off: their providers are asked at once. */
import type { Database } from '../../models/db/database.js';
import { recordReports, type Wake } from '../../models/operations/reports/record-reports.js';
import { noteAsked, type Unasked, unaskedMessages } from '../../models/operations/reports/unasked-messages.js';
import type { IncomingReport } from '../../models/rules/callbacks/callback.js';
import { withHeartbeat } from '../support/heartbeat.js';
import type { Providers } from './providers/provider.js';

const deadlineMs = 10_000;
/** Calls side by side: what follows a restore must not use up the limits of the providers. */
const atOnce = 10;
/** Below the activity's time-out, also when every call takes its whole time. */
const perCall = 30;

export interface AskedPage {
  /** Groups that must be woken to apply what was learnt. */
  wakes: Wake[];
  /** There are more to ask for. */
  more: boolean;
}

export function restoredActivities({ db, providers }: { db: Database; providers: Providers }) {
  /** @returns what the provider says; nothing when it knows nothing new, or cannot be asked */
  async function ask({ id, provider, provider_message_id, waits }: Unasked): Promise<IncomingReport[]> {
    if (!waits || provider === null || provider_message_id === null) return [];
    const account = providers.accounts.get(provider);
    const fetched = await account?.fetchStatus(provider_message_id, AbortSignal.timeout(deadlineMs));
    return fetched ? [{ ...fetched, provider, provider_message_id, message_id: id }] : [];
  }

  return {
    /** Asks the providers for the next messages of a recovery and puts what they say into the inbox. Each message is asked for once. */
    askRestored: (recoveryId: string): Promise<AskedPage> =>
      withHeartbeat(async () => {
        const unasked = await unaskedMessages(db, recoveryId, perCall);
        const wakes: Wake[] = [];
        for (let from = 0; from < unasked.length; from += atOnce) {
          const some = unasked.slice(from, from + atOnce);
          const reports = (await Promise.all(some.map(ask))).flat();
          wakes.push(...(await recordReports(db, reports)));
          await noteAsked(
            db,
            recoveryId,
            some.map(({ id }) => id),
          );
        }
        return { wakes, more: unasked.length === perCall };
      }),
  };
}
