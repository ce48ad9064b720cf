import assert from 'node:assert/strict';
import { pino } from 'pino';
import { maintenanceActivities } from '../../../activities/watch/watcher-maintenance.js';
import { testConfig } from '../../support/config.js';
import { freshDatabase, rows, type TestDatabase } from '../../support/database.js';
import { buildQueued, buildWorkspace } from '../../support/rows/factories.js';
import { assertBooks } from '../../../harness/checks/invariants.js';

describe('maintenance by the watcher', () => {
  let test: TestDatabase;
  let workspaceId: string;
  let lines: { level: number; msg: string }[];
  beforeEach(async () => {
    test = await freshDatabase();
    workspaceId = (await buildWorkspace(test.db)).id;
    lines = [];
  });
  afterEach(async () => {
    await assertBooks(test.db);
    await test.drop();
  });

  const activities = (env: NodeJS.ProcessEnv = {}) => {
    const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    return maintenanceActivities({ db: test.db, config: testConfig(env), logger });
  };
  const told = () => lines.map(({ level, msg }) => [level, msg]);

  it('mails workspaces with a low balance when the setting asks for it', async () => {
    await buildQueued(test.db, workspaceId);
    const mails = () => rows(test.db, 'SELECT workspace_id, kind FROM mails');
    await activities().mailLowBalances();
    assert.deepEqual(await mails(), []);
    await activities({ LOW_BALANCE_CREDITS: '100' }).mailLowBalances();
    await activities({ LOW_BALANCE_CREDITS: '100' }).mailLowBalances();
    assert.deepEqual(await mails(), [{ workspace_id: workspaceId, kind: 'low_balance' }]);
  });

  it('logs an error in every run while a balance differs from its ledger', async () => {
    await activities().checkLedger();
    assert.deepEqual(told(), []);
    await rows(test.db, 'UPDATE workspaces SET balance = balance + 7');
    await activities().checkLedger();
    await activities().checkLedger();
    const error = [50, 'balance differs from ledger'];
    assert.deepEqual(told(), [error, error]);
    await rows(test.db, 'UPDATE workspaces SET balance = balance - 7');
    await activities().checkLedger();
    assert.equal(lines.length, 2);
  });

  it('logs an error for every difference that the audit finds', async () => {
    await rows(test.db, 'UPDATE workspaces SET message_count = message_count + 1');
    await activities().auditBooks();
    assert.deepEqual(told(), [[50, 'audit found a difference']]);
    await activities().auditBooks();
    assert.equal(lines.length, 1, 'the audit of the day is done');
    await rows(test.db, 'UPDATE workspaces SET message_count = message_count - 1');
  });

  it('records the run, and logs an error for failed steps', async () => {
    await activities().noteRound([]);
    assert.deepEqual(told(), []);
    await activities().noteRound(['repairMails']);
    assert.deepEqual(told(), [[50, 'watcher steps failed']]);
    const [run] = await rows<{ failing: string[] }>(test.db, 'SELECT failing FROM watcher');
    assert.deepEqual(run?.failing, ['repairMails']);
  });
});
