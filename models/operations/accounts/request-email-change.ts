import type { Config } from '../../settings/config.js';
import { type Database, select } from '../../db/database.js';
import { emailExists, tooManyMails } from '../../errors.js';
import { apiMetrics } from '../../metrics/catalogue.js';
import type { Origin } from '../../rules/audit/origin.js';
import { Workspace } from '../../tables/workspace.js';
import { enqueueMail, enqueueTokenMail, hasReachedMailLimit } from '../mails/mail-queue.js';
import { asCaller } from './as-caller.js';

/**
 * Sends a confirmation mail to the new address and a notice to the present one. Nothing changes until the token is used (`verifyEmail`).
 * @returns the ids of both mails
 * @throws AppError email_exists if the address is taken, rate_limited after twenty such requests within an hour, unauthorized if the
 *   credential has ended
 */
export async function requestEmailChange(
  { db, config }: { db: Database; config: Pick<Config, 'secretKey'> },
  workspaceId: string,
  email: string,
  origin: Origin,
): Promise<string[]> {
  if ((await Workspace.byEmail(email)) !== null) throw emailExists();
  return asCaller(db, workspaceId, origin, async (transaction) => {
    const [workspace] = await select<{ email: string }>(db, present, [workspaceId], transaction);
    if (workspace === undefined || (await hasReachedMailLimit(db, transaction, workspaceId, 'change_email'))) {
      apiMetrics.rateLimited.inc({ limit: 'mail' });
      throw tooManyMails();
    }
    const asking = await enqueueTokenMail(db, transaction, config.secretKey, { workspaceId, purpose: 'change_email', email });
    const notice = await enqueueMail(db, transaction, workspaceId, { kind: 'email_change_asked', recipient: workspace.email });
    return [asking, notice];
  });
}

const present = 'SELECT email FROM workspaces WHERE id = $1';
