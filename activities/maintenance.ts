/** The watcher's activities: find what nobody drives any more, and repair what can be repaired in place. */
import type { Config } from '../models/config.js';
import type { Database } from '../models/database.js';
import type { Logger } from '../models/logger.js';
import { overdueFallbacks } from '../models/operations/fallback-chain.js';
import { fenceBatch } from '../models/operations/fence-batch.js';
import {
  fenceStale,
  forgottenGroups,
  overdueDeliveries,
  staleBatches,
  type UndrivenGroup,
  undrivenGroups,
  unsentMails,
  unwokenGroups,
} from '../models/operations/find-stuck.js';
import { ledgerDrift } from '../models/operations/ledger-drift.js';
import { issueLowBalanceMails } from '../models/operations/low-balance-mails.js';
import { giveUpOnReports } from '../models/operations/give-up.js';
import type { Wake } from '../models/operations/record-reports.js';
import { forgetWebhookData } from '../models/operations/forget-webhook-data.js';
import { leaveToCarriers } from '../models/operations/carried-deliveries.js';
import { stuckReplays } from '../models/operations/replay-progress.js';
import { unsettledWebhooks } from '../models/operations/settle-deliveries.js';
import type { ReplayInput } from '../workflows/contract.js';

export interface MaintenanceDeps {
  db: Database;
  config: Pick<Config, 'reportTimeoutSeconds' | 'lowBalance' | 'webhookRetentionDays'>;
  logger: Logger;
}

/** What the watcher's workflow has to start or wake. */
export interface Stuck {
  groups: UndrivenGroup[];
  wakes: Wake[];
  /** Webhooks with deliveries that are overdue, or to be settled; their carriers have them now. */
  webhookIds: string[];
  mailIds: string[];
  replays: ReplayInput[];
  /** Groups of messages whose fallback is overdue. */
  fallbacks: string[];
}

/** Longer than any step takes by itself, so that nothing that is being driven is found. */
const graceSeconds = 60;
const graceOfForgottenSeconds = 3_600;
/** Webhooks whose deliveries are to be settled. */
const wokenAtOnce = 200;
/** Well below the watcher's minute, which finds what is stuck. */
const forgettingMs = 15_000;
/** Workspaces whose balance changed this long ago are looked at: several rounds of the watcher, should one be missed. */
const changedWithinSeconds = 600;

export function maintenanceActivities({ db, config, logger }: MaintenanceDeps) {
  return {
    /** Repairs what needs no workflow, and tells what is stuck. */
    async findStuck(): Promise<Stuck> {
      const fenced = await fenceStale(db, graceSeconds);
      if (fenced > 0) logger.warn({ fenced }, 'fenced messages that nobody decided');
      for (const batchId of await staleBatches(db, 2 * graceSeconds)) await fenceBatch(db, batchId);
      await closeForgotten();
      if (config.lowBalance > 0) await issueLowBalanceMails(db, config.lowBalance, changedWithinSeconds);
      const stuck = {
        groups: await undrivenGroups(db, 2 * graceSeconds),
        wakes: await unwokenGroups(db, graceSeconds / 2),
        webhookIds: await wantedCarriers(db),
        mailIds: await unsentMails(db, graceSeconds),
        replays: await stuckReplays(db, 3 * graceSeconds),
        fallbacks: await overdueFallbacks(db, graceSeconds),
      };
      const counts = Object.fromEntries(Object.entries(stuck).map(([kind, list]) => [kind, list.length]));
      if (Object.values(counts).some((count) => count > 0)) logger.warn(counts, 'waking what was stuck');
      return stuck;
    },

    /** Forgets what webhooks were sent long ago, as much as there is time for. */
    forgetOld: () =>
      orInNextRound('could not forget what is old', async () => {
        const forgotten = await forgetWebhookData(db, config.webhookRetentionDays, Date.now() + forgettingMs);
        if (Object.values(forgotten).some((count) => count > 0)) logger.info(forgotten, 'forgot what was old');
      }),

    /** Cries when a balance is not what the ledger says. */
    checkLedger: () =>
      orInNextRound('could not compare balances with the ledger', async () => {
        for (const drift of await ledgerDrift(db, changedWithinSeconds)) logger.error(drift, 'balance differs from ledger');
      }),
  };

  /** What fails is logged, and done in the next round: no repair waits for it. */
  async function orInNextRound(failed: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (err) {
      logger.error({ err }, failed);
    }
  }

  async function closeForgotten(): Promise<void> {
    const longest = Math.max(...Object.values(config.reportTimeoutSeconds));
    for (const groupId of await forgottenGroups(db, longest + graceOfForgottenSeconds)) await giveUpOnReports(db, groupId);
  }
}

/** Webhooks whose carrier has deliveries to attempt, or to settle. */
async function wantedCarriers(db: Database): Promise<string[]> {
  const left = await leaveToCarriers(db, { left: await overdueDeliveries(db, graceSeconds) }, true);
  return [...new Set([...left, ...(await unsettledWebhooks(db, wokenAtOnce))])];
}
