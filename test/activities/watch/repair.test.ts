import assert from 'node:assert/strict';
import { pino } from 'pino';
import { repairActivities } from '../../../activities/watch/repair.js';
import type { WorkflowStarts } from '../../../activities/watch/workflow-starts.js';
import { Batch } from '../../../models/tables/batch.js';
import type { NewMessage } from '../../../models/tables/message.js';
import { claimHandoffs } from '../../../models/operations/handoff/claim-handoffs.js';
import { firstDeliveries } from '../../../models/operations/webhooks/due-deliveries.js';
import { pauseBatch, resumeBatch } from '../../../models/operations/batches/change-batch.js';
import { recordReports } from '../../../models/operations/reports/record-reports.js';
import { buildAcceptedBatch, buildBatch } from '../../support/rows/batches.js';
import { testConfig } from '../../support/config.js';
import { freshDatabase, rows, type TestDatabase } from '../../support/database.js';
import { buildDelivery } from '../../support/rows/deliveries.js';
import { buildQueued, buildReplay, buildUndecided, buildWebhook, buildWorkspace } from '../../support/rows/factories.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { buildSent, messageOf, reportOf, sandboxEverywhere } from '../../support/rows/messages.js';
import { makeDue } from '../../support/temporal/watcher.js';

const longAgo = `now() - interval '1 hour'`;

describe('repairs of the watcher', () => {
  let test: TestDatabase;
  let workspaceId: string;
  let calls: string[];
  let lines: { level: number; msg: string }[];
  /** Workflows that run: they cannot be started. */
  let running: Set<string>;
  /** Calls that fail. */
  let broken: (call: string) => boolean;
  beforeEach(async () => {
    test = await freshDatabase();
    workspaceId = (await buildWorkspace(test.db)).id;
    [calls, lines, running, broken] = [[], [], new Set(), () => false];
  });
  afterEach(async () => {
    await assertBooks(test.db);
    await test.drop();
  });

  const called = async (call: string, id: string): Promise<boolean> => {
    if (broken(call)) throw new Error(`${call} fails`);
    calls.push(call);
    return !running.has(id);
  };
  const starts: WorkflowStarts = {
    isRunning: async (workflowId) => !(await called(`ask ${workflowId}`, workflowId)),
    group: ({ workflowId }) => called(`start ${workflowId}`, workflowId),
    batchChanged: async (workflowId) => void (await called(`changed ${workflowId}`, workflowId)),
    decide: (groupId) => called(`decide ${groupId}`, groupId),
    wake: async ({ workflowId, late }) => void (await called(`wake ${late ? 'late' : workflowId}`, workflowId)),
    nextStep: ({ groupId }) => called(`next ${groupId}`, groupId),
    carrier: async (webhookId) => void (await called(`carrier ${webhookId}`, webhookId)),
    mail: (mailId) => called(`mail ${mailId}`, mailId),
    replay: ({ replayId }) => called(`replay ${replayId}`, replayId),
  };
  const repairs = (env: NodeJS.ProcessEnv = {}) => {
    const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    return repairActivities({ db: test.db, config: testConfig({ ACCEPT_GROUP_MAX: '1', ...env }), logger, starts });
  };
  const round = async (env: NodeJS.ProcessEnv = {}) => {
    calls = [];
    for (const repair of Object.values(repairs(env))) await repair();
    return calls;
  };
  const statusOfBatch = async (id: string) => (await Batch.findByPk(id))?.status;

  it('change and log nothing while all rows are new', async () => {
    await buildWebhook(workspaceId, 'https://one.example.test/');
    await buildUndecided(test.db, workspaceId);
    await buildQueued(test.db, workspaceId);
    await buildAcceptedBatch(test.db, workspaceId, [2]);
    await recordReports(test.db, [reportOf(await buildSent(test.db, workspaceId), 'delivered')]);
    assert.deepEqual(await round(), []);
    assert.deepEqual(lines, []);
  });

  it('start a workflow for every row without one, and log it', async () => {
    const { row: webhook } = await buildWebhook(workspaceId, 'https://one.example.test/', { events: ['message.queued'] });
    await buildDelivery(test.db, workspaceId);
    const replay = await buildReplay(webhook.id);
    const undecided = await buildUndecided(test.db, workspaceId);
    const queued = await buildQueued(test.db, workspaceId);
    const reported = await buildSent(test.db, workspaceId);
    await recordReports(test.db, [reportOf(reported, 'delivered')]);
    await rows(test.db, `UPDATE deliveries SET next_attempt_at = ${longAgo}`);
    await rows(test.db, `UPDATE replays SET progress_at = ${longAgo}`);
    await rows(test.db, `UPDATE delivery_reports SET received_at = ${longAgo}`);
    await makeDue(test.db);
    const delivery = `start msg:${(await rows<{ group_id: string }>(test.db, 'SELECT group_id FROM deliveries ORDER BY id LIMIT 1'))[0]?.group_id}`;
    assert.deepEqual(
      new Set(await round()),
      new Set([delivery, `start msg:${queued.id}`, `wake msg:${reported.id}`, `carrier ${webhook.id}`, `replay ${replay.id}`]),
    );
    assert.deepEqual(await rows(test.db, 'SELECT id FROM messages WHERE id = $1', [undecided.id]), [], 'it is fenced');
    assert.ok(lines.every(({ level }) => level === 40) && lines.length > 0);
    assert.deepEqual(await round(), [`wake msg:${reported.id}`, `replay ${replay.id}`], 'what was started has its time');
  });

  it('start no workflow for a group that waits for reports, until their time is over', async () => {
    const { group_id } = await buildSent(test.db, workspaceId);
    await makeDue(test.db);
    assert.deepEqual(await round(), []);
    await rows(test.db, `UPDATE messages SET sent_at = now() - interval '361 seconds'`);
    await makeDue(test.db);
    assert.deepEqual(await round(), [], 'the time-out is three days');
    await makeDue(test.db);
    assert.deepEqual(await round({ REPORT_TIMEOUT_SMS: '300' }), [`decide ${group_id}`]);
  });

  it('continue beside waiting groups and failed starts', async () => {
    const messages = [];
    for (let count = 0; count < 40; count += 1) messages.push(await buildQueued(test.db, workspaceId));
    const ids = messages.map(({ id }) => `msg:${id}`);
    running = new Set(ids.slice(0, 30));
    broken = (call) => call === `start ${ids[30]}`;
    await makeDue(test.db);
    assert.deepEqual(new Set(await round()), new Set(ids.filter((id) => id !== ids[30]).map((id) => `start ${id}`)));
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [
        [50, 'could not repair some groups'],
        [40, 'repaired groups that were stuck'],
      ],
    );
    broken = () => false;
    await rows(test.db, `UPDATE message_groups SET look_at = look_at - interval '20 seconds'`);
    assert.deepEqual(await round(), [`start ${ids[30]}`], 'it is tried again before those that run');
  });

  it('group idle single messages by channel', async () => {
    const build = (overrides: Partial<NewMessage> = {}) => buildQueued(test.db, workspaceId, overrides);
    const stranger = (await buildWorkspace(test.db)).id;
    const [one, two, three, runs, tried, chained, mail] = [
      await build(),
      await build({ scheduled_at: new Date(Date.now() - 5_000) }),
      await buildQueued(test.db, stranger),
      await build(),
      await build(),
      await build(),
      await build({ channel: 'email' }),
    ];
    running.add(`msg:${runs.id}`);
    await claimHandoffs(test.db, tried.group_id, sandboxEverywhere);
    await rows(test.db, `UPDATE send_attempts SET started_at = ${longAgo}`);
    await rows(test.db, `INSERT INTO fallbacks (message_id, steps, due_at) VALUES ($1, '[{"after": 60}]', now() + interval '1 hour')`, [
      chained.id,
    ]);
    await makeDue(test.db);
    const all = await round({ ACCEPT_GROUP_MAX: '100' });
    const asked = [one, two, three, runs, mail].map(({ id }) => `ask msg:${id}`);
    assert.deepEqual(new Set(all.filter((call) => call.startsWith('ask'))), new Set(asked));
    const { group_id } = await messageOf(test.db, one.id);
    assert.notEqual(group_id, one.id);
    const started = [`grp:${group_id}`, ...[tried, chained, mail].map(({ id }) => `msg:${id}`)].map((id) => `start ${id}`);
    assert.deepEqual(new Set(all.filter((call) => call.startsWith('start'))), new Set(started));
    for (const { id } of [two, three]) assert.equal((await messageOf(test.db, id)).group_id, group_id);
    for (const { id } of [runs, tried, chained, mail]) assert.equal((await messageOf(test.db, id)).group_id, id);
    const former = 'SELECT id FROM message_groups WHERE id = ANY($1::uuid[])';
    assert.deepEqual(await rows(test.db, former, [[one, two, three].map(({ id }) => id)]), []);
    const claims = await claimHandoffs(test.db, group_id, sandboxEverywhere);
    assert.deepEqual(
      claims.map(({ id }) => id),
      [one, two, three].map(({ id }) => id),
    );
    assert.deepEqual(await claimHandoffs(test.db, one.id, sandboxEverywhere), [], 'its former workflow finds nothing');
  });

  it('include the pending deliveries of these messages', async () => {
    await buildWebhook(workspaceId, 'https://one.example.test/', { events: ['message.queued'] });
    const [one, two] = [await buildQueued(test.db, workspaceId), await buildQueued(test.db, workspaceId)];
    await makeDue(test.db);
    await round({ ACCEPT_GROUP_MAX: '100' });
    const { group_id } = await messageOf(test.db, one.id);
    const found = await firstDeliveries(test.db, group_id, false);
    assert.deepEqual(
      found.map(({ message_id }) => message_id),
      [one.id, two.id],
    );
  });

  it('fail early when every start fails', async () => {
    const groups = 80;
    for (let count = 0; count < groups; count += 1) await buildQueued(test.db, workspaceId);
    let tried = 0;
    broken = () => ++tried > 0;
    await makeDue(test.db);
    await assert.rejects(repairs().repairGroups(), /start msg:.* fails/);
    assert.ok(tried < groups, `${tried} were tried`);
  });

  it('notify the pages of a resumed batch once, and start missing ones', async () => {
    const { id, pages } = await buildAcceptedBatch(test.db, workspaceId, [1, 1]);
    const [here, gone] = pages.map(({ groupId }) => `page:${groupId}`) as [string, string];
    running.add(here);
    await pauseBatch(test.db, workspaceId, id);
    await makeDue(test.db);
    assert.deepEqual(await round(), []);
    await resumeBatch(test.db, workspaceId, id);
    assert.deepEqual(await round(), [], 'its own signal comes first');
    await rows(test.db, `UPDATE batches SET look_at = look_at - interval '10 seconds'`);
    assert.deepEqual(await round(), [`start ${here}`, `changed ${here}`, `start ${gone}`]);
    await rows(test.db, `UPDATE batches SET look_at = now()`);
    assert.deepEqual(await round(), []);
  });

  it('fence an undecided batch, and complete one without queued messages', async () => {
    const undecided = await buildBatch(test.db, workspaceId, [2]);
    const { id } = await buildAcceptedBatch(test.db, workspaceId, [2]);
    await rows(test.db, `UPDATE messages SET status = 'sent', status_detail = 'unknown', sent_at = now() WHERE batch_id = $1`, [id]);
    assert.deepEqual([await statusOfBatch(undecided.id), await statusOfBatch(id)], ['accepting', 'sending']);
    await makeDue(test.db);
    await round();
    assert.deepEqual([await statusOfBatch(undecided.id), await statusOfBatch(id)], [undefined, 'completed']);
  });
});
