/** What the watcher does in a round beside its repairs: money is checked, what is old is forgotten, and the round is noted. */
import type { Config } from '../../models/settings/config.js';
import type { Database } from '../../models/db/database.js';
import { noteLedgerCheck } from '../../models/metrics/observe.js';
import type { Logger } from '../../models/process/logger.js';
import { auditBooks } from '../../models/operations/billing/audit-books.js';
import { forgetLogins } from '../../models/operations/accounts/forget-logins.js';
import { eraseOld } from '../../models/operations/erasure/erase-old.js';
import { erasureKey } from '../../models/operations/erasure/erasure-key.js';
import { runErasures } from '../../models/operations/erasure/run-erasures.js';
import { checkLedgers } from '../../models/operations/billing/ledger-drift.js';
import { issueLowBalanceMails } from '../../models/operations/mails/low-balance-mails.js';
import { forgetWebhookData } from '../../models/operations/webhooks/forget-webhook-data.js';
import { noteRound } from '../../models/operations/watch/watcher-rounds.js';

export interface MaintenanceDeps {
  db: Database;
  config: Pick<Config, 'lowBalance' | 'webhookRetentionDays' | 'messageDays' | 'secretKeys'>;
  logger: Logger;
}

/** Beside the repairs: below the time between two rounds. */
const erasingMs = 20_000;
/** One after the other in a round: together below the time between two rounds. */
const forgettingMs = 7_000;
const erasingOldMs = 8_000;
const auditingMs = 8_000;
/** Workspaces whose balance changed this long ago are looked at: several rounds of the watcher, should one be missed. */
const changedWithinSeconds = 600;

export function maintenanceActivities({ db, config, logger }: MaintenanceDeps) {
  return {
    /** Tells workspaces that their balance is low, where the operator wants that. */
    async mailLowBalances(): Promise<void> {
      if (config.lowBalance > 0) await issueLowBalanceMails(db, config.lowBalance, changedWithinSeconds);
    },

    /** Forgets what webhooks were sent long ago, as much as there is time for. */
    async forgetOld(): Promise<void> {
      const forgotten = await forgetWebhookData(db, config.webhookRetentionDays, Date.now() + forgettingMs);
      const logins = await forgetLogins(db);
      if (logins > 0) logger.info({ logins }, 'forgot old tries, addresses and JWTs');
      if (Object.values(forgotten).some((count) => count > 0)) logger.info(forgotten, 'forgot what was old');
    },

    /** Erases messages that are old, as much as there is time for. */
    async eraseOld(): Promise<void> {
      const key = await erasureKey(db, config.secretKeys);
      const messages = await eraseOld(db, key, config.messageDays, Date.now() + erasingOldMs);
      if (messages > 0) logger.info({ messages }, 'erased what was old');
    },

    /** Erases the recipients who are to be forgotten, as much as there is time for. */
    async eraseRecipients(): Promise<void> {
      const completed = await runErasures(db, await erasureKey(db, config.secretKeys), Date.now() + erasingMs);
      if (completed > 0) logger.info({ completed }, 'forgot recipients');
    },

    /** Logs every workspace whose balance is not what its ledger says, in each round until that is mended. */
    async checkLedger(): Promise<void> {
      const drifts = await checkLedgers(db);
      noteLedgerCheck(drifts.length);
      for (const drift of drifts) logger.error(drift, 'balance differs from ledger');
    },

    /** Compares all books with each other, a part in each round and all of it once a day, and logs every difference. */
    async auditBooks(): Promise<void> {
      await auditBooks(db, Date.now() + auditingMs, (difference) => logger.error(difference, 'the books differ'));
    },

    /** The end of a round. @param failing steps that failed, or took too long */
    async noteRound(failing: string[]): Promise<void> {
      if (failing.length > 0) logger.error({ failing }, 'steps of the watcher failed');
      await noteRound(db, failing);
    },
  };
}
