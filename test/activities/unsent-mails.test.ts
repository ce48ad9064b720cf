import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { emailActivities } from '../../activities/emails.js';
import type { Config } from '../../models/settings/config.js';
import { createLogger } from '../../models/process/logger.js';
import { signUp } from '../../models/operations/accounts/sign-up.js';
import { testConfig } from '../support/config.js';
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

  const email = () => `${uuidv7()}@example.test`;
  const newAccount = (address = email()) =>
    signUp(
      { db: test.db, config },
      { email: address, password: 'long enough', company_name: 'Example', phone: null, country: null },
      byTest,
    );
  const sendMail = (mailId: string) => emailActivities({ db: test.db, config, logger: createLogger('test', 'silent') }).sendMail(mailId);

  it('fails without naming the recipient, also when the reply of the mail server does', async () => {
    const { mailId, workspace } = await newAccount();
    smtp.refuse.to.push(`450 4.2.0 <${workspace.email}>: Recipient address rejected: Greylisted`);
    const failure: unknown = await sendMail(mailId).catch((error: unknown) => error);
    assert.ok(!inspect(failure, { depth: null, showHidden: true }).includes(workspace.email));
    assert.match(inspect(failure), /EENVELOPE 450/);
  });
});
