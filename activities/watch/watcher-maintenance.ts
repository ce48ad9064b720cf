/** The maintenance steps of a watcher run: check the ledger, delete old data, record the run. */
import type { Config } from '../../models/settings/config.js';
import type { Database } from '../../models/db/database.js';
import { workMetrics } from '../../models/metrics/catalogue.js';
import { toCredits } from '../../models/rules/billing/credits.js';
import { describeDifference, driftText } from '../../models/rules/billing/difference-text.js';
import type { Logger } from '../../models/process/logger.js';
import { forgetAuditEvents } from '../../models/operations/audit/forget-audit-events.js';
import { auditBooks } from '../../models/operations/billing/audit-books.js';
import { forgetOptRequests } from '../../models/operations/contacts/apply-opt-requests.js';
import { forgetSuppressions } from '../../models/operations/contacts/forget-suppressions.js';
import { forgetLogins } from '../../models/operations/logins/forget-logins.js';
import { eraseOld } from '../../models/operations/erasure/erase-old.js';
import { erasureKey } from '../../models/operations/erasure/erasure-key.js';
import { keyOldDigests } from '../../models/operations/erasure/key-digests.js';
import { checkLedgers } from '../../models/operations/billing/check-ledgers.js';
import { forgetMails } from '../../models/operations/mails/forget-mails.js';
import { enqueueLowBalanceMails } from '../../models/operations/mails/enqueue-low-balance-mails.js';
import { forgetWebhookData } from '../../models/operations/webhooks/forget-webhook-data.js';
import { forgetUnmatched } from '../../models/operations/reports/forget-unmatched.js';
import { forgetMailFiles } from '../support/forget-mail-files.js';
import { type Forget, forgetInTurn } from './forget-in-turn.js';
import { stepMs } from './step-times.js';
import { noteWatcherRun } from '../../models/operations/watch/watcher-runs.js';

export interface MaintenanceDeps {
  db: Database;
  config: Pick<
    Config,
    'lowBalance' | 'webhookRetentionDays' | 'messageDays' | 'auditDays' | 'secretKeys' | 'dataDir' | 'reportTimeoutSeconds'
  >;
  logger: Logger;
}

/** How long the parts of `forgetOld` work. */
const forgettingMs = 5_000;
const forgettingAuditMs = 2_000;
const forgettingReportsMs = 1_000;
/** Workspaces whose balance changed within this time are checked. It covers several runs, in case a run is missed. */
const changedWithinSeconds = 600;

export function maintenanceActivities(deps: MaintenanceDeps) {
  const { db, config, logger } = deps;
  return {
    ...forgettingActivities(deps),
    ...bookActivities(deps),

    /** Mails workspaces whose balance is low, if the operator has configured a limit. */
    async mailLowBalances(): Promise<void> {
      if (config.lowBalance > 0) await enqueueLowBalanceMails(db, config.lowBalance, changedWithinSeconds);
    },

    /** Records the end of a run. @param failing steps that failed or took too long */
    async noteRound(failing: string[]): Promise<void> {
      if (failing.length > 0) logger.error({ failing }, 'watcher steps failed');
      await noteWatcherRun(db, failing);
    },
  };
}

function forgettingActivities({ db, config, logger }: MaintenanceDeps) {
  /** What is deleted by age, with the counts for the log. */
  const forgetting: Record<string, Forget> = {
    'webhook data': () => forgetWebhookData(db, config.webhookRetentionDays, Date.now() + forgettingMs),
    'audit events': async () => ({ audit_events: await forgetAuditEvents(db, config.auditDays, Date.now() + forgettingAuditMs) }),
    'reports that match no message': async () => ({
      reports: await forgetUnmatched(db, config.reportTimeoutSeconds, Date.now() + forgettingReportsMs),
    }),
    'login attempts, addresses and tokens': async () => ({ logins: await forgetLogins(db) }),
    'digests of opt-outs and opt-ins': async () => ({ opt_requests: await forgetOptRequests(db) }),
    suppressions: async () => ({ suppressions: await forgetSuppressions(db) }),
    mails: async () => ({ mails: await forgetMails(db) }),
    'mail files': async () => ({ files: await forgetMailFiles(config.dataDir) }),
  };
  return {
    /**
     * Deletes old webhook data, audit events, reports without a message, logins, tokens, opt requests, suppressions, mails and mail files, until
     * the time is up.
     */
    forgetOld: () => forgetInTurn(forgetting, Date.now() + stepMs.forgetOld, logger),

    /** Keys the digests of old requests and erases old messages, until the time is up. */
    async eraseOld(): Promise<void> {
      const key = await erasureKey(db, config.secretKeys);
      const until = Date.now() + stepMs.eraseOld;
      await keyOldDigests(db, key, until);
      const messages = await eraseOld(db, key, config.messageDays, until);
      if (messages > 0) logger.info({ messages }, 'erased old messages');
    },
  };
}

function bookActivities({ db, logger }: MaintenanceDeps) {
  return {
    /** Logs an error for each workspace whose balance and ledger differ, in each run until they agree. */
    async checkLedger(): Promise<void> {
      const drifts = await checkLedgers(db);
      workMetrics.ledgerDrift.set(drifts.length);
      workMetrics.ledgerCheckedAt.set(Date.now() / 1000);
      for (const { workspace_id, balance, ledger } of drifts) {
        const credits = { balance: toCredits(balance), ledger: toCredits(ledger), difference: driftText(balance, ledger) };
        logger.error({ workspace_id, ...credits }, 'balance differs from ledger');
      }
    },

    /** Compares balances, ledger, messages and batches: a part in each run, all once a day. Logs an error for each difference, in credits. */
    async auditBooks(): Promise<void> {
      await auditBooks(db, Date.now() + stepMs.auditBooks, (difference) =>
        logger.error(describeDifference(difference), 'audit found a difference'),
      );
    },
  };
}
