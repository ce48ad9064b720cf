import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { select } from '../../../models/db/database.js';
import { opensErasureKey, reencryptErasureKey } from '../../../models/operations/erasure/erasure-key.js';
import { createLogger } from '../../../models/process/logger.js';
import { requireSecretKey } from '../../../models/startup/require-secret-key.js';
import { testEnv } from '../../support/config.js';
import { useDatabase } from '../../support/for-each.js';
import { child } from '../../support/parts/child.js';
import { startFaultProxy } from '../../support/network/fault-proxy.js';
import { asProgram } from '../../support/servers.js';

const [present, next, foreign] = ['p', 'n', 'x'].map((letter) => letter.repeat(32)) as [string, string, string];

describe('the SECRET_KEY that a process needs', () => {
  const database = useDatabase();
  const start = (...secretKeys: [string, ...string[]]) =>
    requireSecretKey({ databaseUrl: asProgram(database.url), secretKeys }, createLogger('api', 'silent'));
  const refusal = { name: 'Error', message: /^Bad settings: neither SECRET_KEY nor SECRET_KEYS_OLD decrypts/ };
  before(async () => {
    assert.equal(await opensErasureKey(database.db, [present]), null);
    await start(present); // the first process of the installation
  });

  it('a process starts with the key of the first one, and not with another one', async () => {
    await start(present);
    await assert.rejects(start(foreign), refusal);
  });
  it('each process starts in each step of a change of the key, and one with the former key not after it', async () => {
    await start(present, next);
    await start(next, present);
    await reencryptErasureKey(database.db, [next, present]);
    await start(present, next);
    await start(next);
    await assert.rejects(start(present), refusal);
    await reencryptErasureKey(database.db, [present, next]);
  });
  it('a process does not start if its role may not read by which value the key is known', async () => {
    const role = new URL(asProgram(database.url)).username;
    await select(database.db, `REVOKE SELECT ON installation_keys FROM ${role}`);
    const why = 'permission denied for table installation_keys. Run: npm run migrate, with MIGRATE_DATABASE_URL of the owner';
    await assert.rejects(start(present), { message: `SECRET_KEY could not be compared with the database: ${why}` });
    await select(database.db, `GRANT SELECT ON installation_keys TO ${role}`);
  });
  it('no key is demanded of a database that does not answer', () =>
    requireSecretKey({ databaseUrl: 'postgres://nobody@127.0.0.1:1/none', secretKeys: [foreign] }, createLogger('api', 'silent')));
  it('no key is demanded of a database that ends connections while they are set up', async () => {
    const { host } = new URL(database.url);
    const proxy = await startFaultProxy(host);
    proxy.mode = 'lose-set-ups';
    const databaseUrl = asProgram(database.url).replace(host, proxy.address);
    await requireSecretKey({ databaseUrl, secretKeys: [foreign] }, createLogger('api', 'silent'));
    await proxy.close();
  });

  for (const script of ['api/server.js', 'activities/worker.js'])
    it(`${script} exits 1 with one sentence if neither SECRET_KEY nor SECRET_KEYS_OLD opens the database`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'secret-key-'));
      const logFile = join(folder, 'log');
      const { PATH } = process.env;
      const started = child(
        script,
        { PATH, ...testEnv({ DATABASE_URL: asProgram(database.url), SECRET_KEY: foreign, PORT: '0' }) },
        logFile,
      );
      await assert.rejects(started.start(), { message: `${script} ended with 1` });
      assert.match(readFileSync(logFile, 'utf8'), /^(The API could not start: )?Bad settings: neither SECRET_KEY [^\n]+\n$/);
      rmSync(folder, { recursive: true });
    });
});
