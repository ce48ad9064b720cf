import assert from 'node:assert/strict';
import { accountFinding } from '../../../activities/doctor/checks/providers.js';

describe('findings of the doctor about accounts', () => {
  it('refused credentials are a failed finding, but only a warning if no channel uses the account any more', async () => {
    const refused = { name: 'twilio', checkCredentials: async () => 'refused' as const };
    const stateFor = async (isServing: boolean) =>
      (await accountFinding(refused, { isServing, signal: new AbortController().signal })).state;
    assert.deepEqual([await stateFor(true), await stateFor(false)], ['failed', 'warning']);
  });
});
