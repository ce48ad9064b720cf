import assert from 'node:assert/strict';
import { pino } from 'pino';
import { maintenanceActivities } from '../../activities/maintenance.js';
import { recordReports } from '../../models/operations/record-reports.js';
import { testConfig } from '../support/config.js';
import { freshDatabase, rows, type TestDatabase } from '../support/database.js';
import { buildDelivery } from '../support/deliveries.js';
import { buildQueued, buildUndecided, buildWebhook, buildWorkspace } from '../support/factories.js';
import { assertBooks } from '../support/invariants.js';
import { buildSent, reportOf, statusOf } from '../support/messages.js';

describe('the watcher', () => {
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
  const findStuck = (env: NodeJS.ProcessEnv = {}) => activities(env).findStuck();
  const nothing = { groups: [], wakes: [], webhookIds: [], mailIds: [], replays: [], fallbacks: [] };
  const age = (table: string, column: string, id: string, seconds: number) =>
    rows(test.db, `UPDATE ${table} SET ${column} = now() - $2 * interval '1 second' WHERE id = $1`, [id, seconds]);

  it('finds nothing, and says nothing, while all is being driven', async () => {
    await buildWebhook(workspaceId, 'https://one.example.test/');
    await buildUndecided(test.db, workspaceId);
    await buildQueued(test.db, workspaceId);
    await recordReports(test.db, [reportOf(await buildSent(test.db, workspaceId), 'delivered')]);
    assert.deepEqual(await findStuck(), nothing);
    await activities().checkLedger();
    assert.deepEqual(lines, []);
  });

  it('tells workspaces whose balance runs low, where the operator wants that', async () => {
    await buildQueued(test.db, workspaceId);
    const mails = () => rows(test.db, 'SELECT workspace_id, kind FROM mails');
    await findStuck();
    assert.deepEqual(await mails(), []);
    await findStuck({ LOW_BALANCE_CREDITS: '100' });
    await findStuck({ LOW_BALANCE_CREDITS: '100' });
    assert.deepEqual(await mails(), [{ workspace_id: workspaceId, kind: 'low_balance' }]);
  });

  it('fences what nobody decided, and finds what nobody drives, each for its workflow', async () => {
    const { row: webhook } = await buildWebhook(workspaceId, 'https://one.example.test/', { events: ['message.queued'] });
    const undecided = await buildUndecided(test.db, workspaceId);
    const delivery = await buildDelivery(test.db, workspaceId);
    const { id, group_id } = await buildQueued(test.db, workspaceId);
    const reported = await buildSent(test.db, workspaceId);
    await recordReports(test.db, [reportOf(reported, 'delivered')]);
    for (const messageId of [undecided.id, id]) await age('messages', 'created_at', messageId, 130);
    await age('deliveries', 'next_attempt_at', delivery.id, 70);
    await rows(test.db, `UPDATE delivery_reports SET received_at = now() - interval '40 seconds'`);
    const { groups, wakes, webhookIds, mailIds } = await findStuck();
    assert.deepEqual(
      groups.map(({ groupId }) => groupId),
      [group_id],
    );
    assert.deepEqual(wakes, [{ groupId: reported.group_id, workflowId: `msg:${reported.group_id}`, late: false }]);
    assert.deepEqual([webhookIds, mailIds], [[webhook.id], []]);
    assert.deepEqual(await rows(test.db, 'SELECT id FROM messages WHERE id = $1', [undecided.id]), []);
    assert.equal(lines.filter(({ level }) => level === 40).length, 2);
  });

  it('closes groups that waited for reports longer than any workflow does', async () => {
    const message = await buildSent(test.db, workspaceId);
    for (const [table, column, id] of [
      ['messages', 'sent_at', message.id],
      ['message_groups', 'created_at', message.group_id],
    ] as const)
      await age(table, column, id, 4_000);
    const times = { REPORT_TIMEOUT_SMS: '300', REPORT_TIMEOUT_WHATSAPP: '300', REPORT_TIMEOUT_EMAIL: '300' };
    await findStuck({ ...times, REPORT_TIMEOUT_EMAIL: '600' });
    assert.equal(await statusOf(test.db, message.id), 'sent/awaiting_report', 'the longest of all counts');
    await findStuck(times);
    assert.equal(await statusOf(test.db, message.id), 'sent/unknown');
  });

  it('cries when a balance is not the sum of its ledger', async () => {
    await rows(test.db, 'UPDATE workspaces SET balance = balance + 7');
    await activities().checkLedger();
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [[50, 'balance differs from ledger']],
    );
    await rows(test.db, 'UPDATE workspaces SET balance = balance - 7');
  });

  for (const [step, table, column, text] of [
    ['checkLedger', 'credit_entries', 'number', 'could not compare balances with the ledger'],
    ['forgetOld', 'retention_sweeps', 'swept_to', 'could not forget what is old'],
  ] as const) {
    it(`logs that ${step} fails, and ends: the next round is not held up`, async () => {
      await rows(test.db, `ALTER TABLE ${table} RENAME COLUMN ${column} TO away`);
      await activities()[step]();
      await rows(test.db, `ALTER TABLE ${table} RENAME COLUMN away TO ${column}`);
      assert.deepEqual(
        lines.map(({ level, msg }) => [level, msg]),
        [[50, text]],
      );
      assert.deepEqual(await findStuck(), nothing);
    });
  }
});
