import assert from 'node:assert/strict';
import { databaseCheck, writesFindings } from '../../../activities/doctor/checks/database.js';
import { dataIn, Reply } from '../../../api/http/reply.js';
import { getHealthEndpoint } from '../../../api/endpoints/operators/health.js';
import { type Database, openPool } from '../../../models/db/database.js';
import { rows } from '../../support/database.js';
import { buildQueued } from '../../support/rows/factories.js';
import { runAdmin } from '../../support/run-admin.js';
import { useApi } from '../use-api.js';

describe('a database that takes no writes', () => {
  const app = useApi({ forEachTest: true });
  let db: Database;
  beforeEach(() => {
    const url = new URL(app.deps.config.databaseUrl);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    db = openPool(url.href, 2);
  });
  afterEach(() => db.close());
  const run = (...args: string[]) => runAdmin({ db, config: app.deps.config }, ...args);

  it('a database that takes no writes is an error in /health, and not one of the workers, whose heartbeats are rows', async () => {
    await rows(app.deps.db, `INSERT INTO worker_beats (worker, part, beat_at) VALUES ('w', 'main', now() - interval '1 minute')`);
    const shown = await getHealthEndpoint.handler({} as never, { ...app.deps, db });
    assert.ok(shown instanceof Reply);
    const { services, workers } = dataIn(shown) as { services: object; workers: { status: string } };
    assert.deepEqual([shown.options.status, services, workers.status], [503, { database: 'error', redis: 'ok', queue: 'ok' }, 'ok']);
  });

  it('a database that takes no writes fails in the doctor', async () => {
    const findings = await databaseCheck.run({ db, config: app.deps.config, signal: AbortSignal.timeout(10_000) });
    const writes = findings.find(({ subject }) => subject === 'PostgreSQL writes');
    assert.deepEqual([writes?.state, writes?.detail], ['failed', 'default_transaction_read_only is on, so nothing is written']);
    const [standby] = writesFindings({ unwritable: 'standby' });
    assert.equal(standby?.detail, 'the server is a standby, which takes no writes');
  });

  it('stuck shows the messages of a database that takes no writes, without what else waits', async () => {
    const { workspaceId } = await app.account();
    const { id } = await buildQueued(app.deps.db, workspaceId);
    await rows(app.deps.db, `UPDATE messages SET created_at = now() - interval '1 hour' WHERE id = $1`, [id]);
    const { code, out } = await run('stuck');
    assert.equal(code, 1);
    assert.match(out, new RegExp(`^! ${id} .*\n1 message .*\nOther waiting work could not be read: .*read-only transaction\\.\n$`));
  });

  it('audit shows the differences that a database without writes cannot store', async () => {
    const { workspaceId } = await app.account();
    await rows(app.deps.db, 'UPDATE workspaces SET balance = balance + 1 WHERE id = $1', [workspaceId]);
    const { code, out } = await run('audit');
    assert.equal(code, 1);
    assert.match(
      out,
      new RegExp(
        `^balance of workspace ${workspaceId}: .*\nThe number of differences was not stored, .*read-only transaction\\.\n1 difference\\.\n$`,
      ),
    );
    const { unstored } = JSON.parse((await run('audit', '--json')).out) as { unstored: string };
    assert.match(unstored, /read-only transaction$/);
  });
});
