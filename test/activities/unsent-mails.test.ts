import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { emailActivities } from '../../activities/emails.js';
import type { Config } from '../../models/settings/config.js';
import { inTransaction } from '../../models/db/database.js';
import { createLogger } from '../../models/process/logger.js';
import { signUp } from '../../models/operations/accounts/sign-up.js';
import { enqueueTokenMail } from '../../models/operations/mails/mail-queue.js';
import { testConfig } from '../support/config.js';
import { rows } from '../support/database.js';
import { useDatabase } from '../support/for-each.js';
import { type MailServer, startSmtp } from '../support/carriers/smtp.js';
import { byTest } from '../support/by-test.js';

describe('a mail that is not sent', () => {
  const test = useDatabase();
  let smtp: MailServer;
  let config: Config;
  beforeEach(async () => {
    smtp = await startSmtp();
    config = testConfig({ SMTP_URL: smtp.url });
  });
  afterEach(() => smtp.close());

  const newAccount = () =>
    signUp(
      { db: test.db, config },
      { email: `${uuidv7()}@example.test`, password: 'long enough', company_name: 'Example', phone: null, country: null },
      byTest,
    );
  const sendMail = (mailId: string) => emailActivities({ db: test.db, config, logger: createLogger('test', 'silent') }).sendMail(mailId);

  it('an error about a mail does not name the recipient, also when the mail server does', async () => {
    const { mailId, workspace } = await newAccount();
    smtp.refuse.to.push(`450 4.2.0 <${workspace.email}>: Recipient address rejected: Greylisted`);
    const failure: unknown = await sendMail(mailId).catch((error: unknown) => error);
    assert.ok(!inspect(failure, { depth: null, showHidden: true }).includes(workspace.email));
    assert.match(inspect(failure), /EENVELOPE 450/);
  });

  const fateOf = async (mailId: string) => (await rows(test.db, 'SELECT sent_at, refused_code FROM mails WHERE id = $1', [mailId]))[0];

  for (const [what, change] of [
    ['has expired', 'expires_at = now()'],
    ['was used or voided', 'used_at = now()'],
  ] as const) {
    it(`a mail is given up when its link ${what} during an outage of the mail server`, async () => {
      const { mailId, workspace } = await newAccount();
      smtp.refuse.to.push('451 4.3.0 later');
      await assert.rejects(sendMail(mailId), { type: 'MailNotSent' });
      await rows(test.db, `UPDATE mail_tokens SET ${change} WHERE workspace_id = $1`, [workspace.id]);
      await sendMail(mailId);
      assert.deepEqual([await fateOf(mailId), smtp.received], [{ sent_at: null, refused_code: 0 }, []]);
    });
  }

  it('a mail is given up when a newer one has replaced it, which is sent', async () => {
    const { mailId, workspace } = await newAccount();
    const newer = await inTransaction(test.db, (transaction) =>
      enqueueTokenMail(test.db, transaction, config.secretKey, { workspaceId: workspace.id, purpose: 'verify' }),
    );
    for (const id of [mailId, newer]) await sendMail(id);
    assert.deepEqual([await fateOf(mailId), smtp.received.length], [{ sent_at: null, refused_code: 0 }, 1]);
    assert.match(smtp.received[0] ?? '', new RegExp(`^Message-ID: <${newer}@`, 'im'));
  });

  it('a mail is not sent after it was given up, for example because its account was closed', async () => {
    const { mailId } = await newAccount();
    await rows(test.db, 'UPDATE mails SET refused_code = 0 WHERE id = $1', [mailId]);
    await sendMail(mailId);
    assert.deepEqual([await fateOf(mailId), smtp.received], [{ sent_at: null, refused_code: 0 }, []]);
  });
});
