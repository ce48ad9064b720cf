import assert from 'node:assert/strict';
import { accountFinding, sandboxFindings } from '../../../activities/doctor/checks/providers.js';
import { testConfig } from '../../support/config.js';

const smtp = { PROVIDER_EMAIL: 'smtp', EMAIL_SMTP_URL: 'smtps://mail.example.test', EMAIL_FROM: 'hello@example.test' };

describe('findings of the doctor about accounts', () => {
  it('refused credentials fail, but only warn if no channel uses the account any more', async () => {
    const refused = { name: 'twilio', checkCredentials: async () => 'refused' as const };
    const stateFor = async (isServing: boolean) =>
      (await accountFinding(refused, { isServing, signal: new AbortController().signal })).state;
    assert.deepEqual([await stateFor(true), await stateFor(false)], ['failed', 'warning']);
  });

  it('each channel that uses the sandbox beside a real carrier is a warning that names its setting', () => {
    const found = (env: NodeJS.ProcessEnv) => sandboxFindings(testConfig(env)).map(({ state, subject, fix }) => [state, subject, fix]);
    assert.deepEqual(found(smtp), [
      ['warning', 'channel sms', 'Set PROVIDER_SMS before messages are sent on it'],
      ['warning', 'channel whatsapp', 'Set PROVIDER_WHATSAPP before messages are sent on it'],
    ]);
    assert.deepEqual(found({}), []);
  });
});
