import assert from 'node:assert/strict';
import { createAuthenticator } from '../../../api/auth/authenticate.js';
import { apiKey } from '../../../api/http/endpoint.js';
import { inTransaction, select } from '../../../models/db/database.js';
import { digestApiKey } from '../../../models/rules/accounts/api-key.js';
import { ApiKey } from '../../../models/tables/api-key.js';
import { silentLogger } from '../../support/carriers/stub-provider.js';
import { testConfig } from '../../support/config.js';
import { workspaceForEach } from '../../support/for-each.js';
import { untilLockWait } from '../../support/lock-table.js';

const former = 'former'.repeat(6);

describe('the check of API keys', () => {
  const test = workspaceForEach();
  const config = testConfig();

  it('the check of an API key ends while two others wait for a lock', async () => {
    const { identify } = createAuthenticator({ config, db: test.db, logger: silentLogger });
    const check = async (secret: string) => {
      const { key } = await ApiKey.issue(secret, { workspace_id: test.workspaceId, name: 'k', scopes: ['read_messages'] });
      const [digest, older] = [digestApiKey(config.secretKey, key), [digestApiKey(former, key)]];
      return () => identify(apiKey('read_messages'), { kind: 'key', digest, older }, () => undefined);
    };
    // Keys that move to the present secret key: the check writes them.
    const [one, other, third] = [await check(former), await check(former), await check(config.secretKey)];
    const waiting: Promise<unknown>[] = [];
    let ended = 0;
    await inTransaction(test.db, async (transaction) => {
      await select(test.db, 'SELECT 1 AS one FROM api_keys FOR UPDATE', [], transaction);
      for (const slow of [one, other]) {
        waiting.push(slow().finally(() => (ended += 1)));
        await untilLockWait(test.db, 'a check waits', waiting.length);
      }
      assert.equal((await third())?.workspaceId, test.workspaceId);
      assert.equal(ended, 0, 'the keys are locked');
    });
    await Promise.all(waiting);
  });
});
