import assert from 'node:assert/strict';
import { createProviders } from '../../../../activities/handoff/providers/index.js';
import { connect } from '../../../../models/db/database.js';
import { nowhere } from '../../../support/carriers/counterpart.js';
import { never, outgoingMail } from '../../../support/carriers/outgoing.js';
import { postmarkEnv } from '../../../support/carriers/postmark.js';
import { testConfig } from '../../../support/config.js';

describe('an account that serves no channel any more', () => {
  it('an account that serves no channel any more can be queried, but sends nothing', async () => {
    const config = testConfig({ ...postmarkEnv(nowhere), PROVIDER_EMAIL: 'sandbox', PROVIDER_ACCOUNTS: 'old=postmark' });
    const db = connect(config.databaseUrl, 1);
    const { accounts } = createProviders(config, { db, delayMs: 0, onTaken: () => undefined });
    await db.close();
    for (const name of ['postmark', 'old']) {
      const provider = accounts.get(name);
      assert.ok(provider?.reconcile !== undefined, name);
      const outcome = await provider.send(outgoingMail(), never);
      assert.deepEqual([outcome.outcome, 'error_code' in outcome && outcome.error_code], ['rejected', 'handoff_unknown'], name);
    }
  });
});
