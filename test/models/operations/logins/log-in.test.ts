import assert from 'node:assert/strict';
import { busy } from '../../../../models/errors.js';
import { logIn } from '../../../../models/operations/logins/log-in.js';
import { systemOrigin } from '../../../../models/rules/audit/origin.js';
import { testConfig } from '../../../support/config.js';
import { rows } from '../../../support/database.js';
import { workspaceForEach } from '../../../support/for-each.js';

describe('logIn', () => {
  const test = workspaceForEach();

  it('a login whose password could not be verified is not counted as a try', async () => {
    const deps = { db: test.db, config: testConfig(), onMail: () => undefined, admit: async () => undefined };
    const [owner] = await rows<{ email: string }>(test.db, 'SELECT email FROM workspaces WHERE id = $1', [test.workspaceId]);
    const login = { email: owner?.email ?? '', password: 'wrong horse', client: [Buffer.from('client')] as const };
    const attempt = (onAccount: () => void) => logIn({ ...deps, onAccount }, login, systemOrigin('test'));
    for (let time = 1; time <= 6; time += 1) {
      const failed = attempt(() => {
        throw busy();
      });
      await assert.rejects(failed, { code: 'unavailable' });
    }
    await assert.rejects(
      attempt(() => undefined),
      { code: 'unauthorized' },
    );
    assert.deepEqual(await rows(test.db, 'SELECT tries FROM login_tries'), [{ tries: 1 }]);
  });
});
