import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { databaseUrl, makeCluster, serverVersion } from '../../../local/postgres/postgres.js';
import { connect, select } from '../../../models/db/database.js';
import { until } from '../../support/client.js';

describe('the cluster of the embedded PostgreSQL', () => {
  it('the cluster of the embedded PostgreSQL leaves no file behind when it cannot be created', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tidings-cluster-'));
    const place = { binaries: { initdb: '/initdb', postgres: '/postgres' }, dataDir, password: 'secret', log: join(dataDir, 'log') };
    const failing = () => {
      writeFileSync(join(dataDir, 'postgres.new', 'PG_VERSION'), '18');
      return Promise.reject(new Error('No space left on device'));
    };
    await assert.rejects(makeCluster(place, failing), /No space left/);
    assert.deepEqual(readdirSync(dataDir), []);
    rmSync(dataDir, { recursive: true });
  });

  it('data of another version of PostgreSQL, or none, are refused with one sentence that says what to do', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tidings-cluster-'));
    const place = { binaries: { initdb: '/initdb', postgres: '/postgres' }, dataDir, password: 'secret', log: join(dataDir, 'log') };
    const never = () => Promise.reject(new Error('nothing is run'));
    const folder = join(dataDir, 'postgres');
    mkdirSync(folder);
    await assert.rejects(makeCluster(place, never), {
      name: 'StartError',
      message: /^\S+postgres has no data .*ENOENT.*: restore it, or /,
    });
    writeFileSync(join(folder, 'PG_VERSION'), '17\n');
    const text = `${folder} has data of PostgreSQL 17, and this version needs 18: start the version that made them, or set another DATA_DIR.`;
    await assert.rejects(makeCluster(place, never), { name: 'StartError', message: text });
    rmSync(dataDir, { recursive: true });
  });

  it('the log of the embedded server has the error of a statement, and neither its text nor the values in it', async () => {
    const pool = connect(`${process.env.TEST_DATABASE_SERVER}/postgres`, 1);
    try {
      const [{ folder } = { folder: '' }] = await select<{ folder: string }>(pool, `SELECT current_setting('data_directory') AS folder`);
      const log = () => readFileSync(join(dirname(folder), 'logs', 'postgres.log'), 'utf8');
      await assert.rejects(
        select(pool, `SELECT 1 FROM no_such_table WHERE recipient = 'ada.in.a.statement@example.com'`),
        /relation "no_such_table" does not exist/,
      );
      await until(() => log().includes('no_such_table'), 'the error is in the log');
      assert.doesNotMatch(log(), /ada\.in\.a\.statement/);
    } finally {
      await pool.close();
    }
  });

  it('clients connect to the embedded server whatever TLS the environment asks for', async () => {
    const { port, password } = new URL(process.env.TEST_DATABASE_SERVER ?? '');
    const url = databaseUrl(password, Number(port));
    const former = process.env.PGSSLMODE;
    process.env.PGSSLMODE = 'require';
    try {
      assert.match(await serverVersion(url), /^18/);
      const pool = connect(url, 1);
      try {
        assert.deepEqual(await select(pool, 'SELECT 1 AS one'), [{ one: 1 }]);
      } finally {
        await pool.close();
      }
    } finally {
      if (former === undefined) delete process.env.PGSSLMODE;
      else process.env.PGSSLMODE = former;
    }
  });
});
