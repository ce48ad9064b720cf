import assert from 'node:assert/strict';
import { signSandboxCallback } from '../../../models/rules/callbacks/sandbox.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { useApiStarts } from '../use-api.js';

const [former, present] = ['former-secret-key-former-secret-key', 'present-secret-key-present-secret-key'];

/** The second round of the rotation: one process makes things with the former key still, the other with the new one. */
describe('while SECRET_KEY is changed', () => {
  const startApi = useApiStarts();
  let database: TestDatabase | undefined;
  afterEach(() => database?.drop());

  const start = async () => {
    database = await freshDatabase();
    return [
      await startApi({ SECRET_KEY: former, SECRET_KEYS_OLD: present }, {}, undefined, database),
      await startApi({ SECRET_KEY: present, SECRET_KEYS_OLD: former }, {}, undefined, database),
    ] as const;
  };

  it('200 for a callback of the sandbox that another process has signed', async () => {
    const body = JSON.stringify({ reports: [] });
    for (const app of await start())
      for (const key of [former, present]) {
        const { status } = await app.call('POST', '/callbacks/sandbox', { headers: signSandboxCallback(key, body), body });
        assert.equal(status, 200);
      }
  });
});
