import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCluster } from '../../../local/postgres/postgres.js';

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
});
