import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { recoverDatabase } from '../../../api/recovery/recover-database.js';
import { runRecovery } from '../../../api/recovery/run-recovery.js';
import { foreignNamespace, foreignNamespaceFix } from '../../../models/startup/installation.js';
import { beginRecovery, type Recovery } from '../../../models/operations/recovery/begin-recovery.js';
import { cancelBatch, pauseBatch } from '../../../models/operations/batches/change-batch.js';
import { cancelMessage } from '../../../models/operations/messages/cancel-message.js';
import { insertMessages } from '../../../models/operations/messages/insert-messages.js';
import { openStream } from '../../../models/operations/streams/open-stream.js';
import type { Position } from '../../../models/rules/streams/position.js';
import { workflowIds } from '../../../workflows/contract.js';
import { buildAcceptedBatch, buildBatch } from '../../support/rows/batches.js';
import { testConfig } from '../../support/config.js';
import { freshDatabase, rows } from '../../support/database.js';
import { buildQueued, buildUndecided, buildWebhook, newMessage } from '../../support/rows/factories.js';
import { workspaceForEach } from '../../support/for-each.js';
import { buildClaimed, buildSent, claimAll, messageOf, reportOf, sandboxEverywhere, statusOf } from '../../support/rows/messages.js';
import { recordReports } from '../../support/rows/reports.js';
import { freshNamespace } from '../../support/temporal/temporal.js';

const tomorrow = () => new Date(Date.now() + 86_400_000);

describe('the recovery of a restored database', () => {
  const test = workspaceForEach({ balance: 1_000_000 });
  const config = testConfig();
  let recovery: Recovery;
  const begin = async () => {
    await rows(test.db, 'TRUNCATE recoveries, recovery_messages');
    recovery = await beginRecovery(test.db, new Date(), null);
  };
  /** What it found of the workspace of this test. */
  const recover = async (dryRun = false) => {
    const found = await recoverDatabase({ db: test.db, config, recovery, waitSeconds: 600, dryRun });
    const mine = await rows<{ id: string }>(test.db, 'SELECT id FROM messages WHERE workspace_id = $1', [test.workspaceId]);
    const own = (ids: string[]) => ids.filter((id) => mine.some((message) => message.id === id));
    const { uncertain, uncertain_paused, scheduled, cancelled, awaiting_report, ...others } = found;
    return {
      ...others,
      uncertain: own(uncertain),
      uncertain_paused: own(uncertain_paused),
      scheduled: own(scheduled),
      cancelled: own(cancelled),
      awaiting_report: own(awaiting_report),
    };
  };
  const restoredAttempts = async (id: string) => {
    const sql = `SELECT provider, outcome, extract(epoch FROM give_up_at - now()) > 590 AS waits FROM send_attempts WHERE message_id = $1 ORDER BY number`;
    return rows(test.db, sql, [id]);
  };

  it('the recovery of a restored database marks possible hand-offs once as calls with a lost answer', async () => {
    const waiting = await buildQueued(test.db, test.workspaceId, { expires_at: new Date(Date.now() + 200) });
    const claimed = await buildClaimed(test.db, test.workspaceId);
    await begin();
    const first = await recover();
    assert.deepEqual(await recover(), first);
    assert.deepEqual(first.uncertain.toSorted(), [waiting.id, claimed.id].toSorted());
    const restored = { provider: 'sandbox', outcome: 'unknown', waits: true };
    assert.deepEqual(await restoredAttempts(waiting.id), [restored]);
    assert.deepEqual(await restoredAttempts(claimed.id), [{ ...restored, outcome: null }, restored]);
    const waits = { leaseSeconds: 0, unknownSeconds: 0, repeatable: [] };
    assert.deepEqual(await claimAll(test.db, waiting.group_id, sandboxEverywhere, { waits }), []);
    await assert.rejects(cancelMessage(test.db, test.workspaceId, waiting.id), /can no longer be cancelled/);
    // Only now may its status be reported.
    await recordReports(test.db, [reportOf({ id: waiting.id, provider_message_id: null }, 'delivered')]);
    const [matched] = await rows<{ id: string }>(test.db, 'SELECT message_id AS id FROM delivery_reports WHERE message_id = $1', [
      waiting.id,
    ]);
    assert.equal(matched?.id, waiting.id);
  });

  it('the recovery resets a stream that resumes from the lost time, whose transaction numbers are given again', async () => {
    const open = (resume: Position | null) => openStream(test.db, { workspaceId: test.workspaceId, resume, max: 10 });
    const { position } = await open(null);
    const [, xmax = ''] = position.seen.split(':');
    const lost = { ...position, seen: `${xmax}:${Number(xmax) + 3}:` };
    for (let count = 0; count < 5; count += 1) await rows(test.db, 'SELECT pg_current_xact_id()::text AS xid');
    await begin();
    await recover(true);
    assert.equal((await open(lost)).isReset, false, 'a dry run changes nothing');
    await recover();
    assert.equal((await open(lost)).isReset, true);
  });

  it('the recovery of a restored database leaves later, cancelled and newer messages unchanged', async () => {
    const later = await buildQueued(test.db, test.workspaceId, { scheduled_at: tomorrow(), status_detail: 'scheduled' });
    const batch = await buildAcceptedBatch(test.db, test.workspaceId, [2]);
    const ids = batch.pages.flatMap((page) => page.ids);
    await rows(test.db, `UPDATE batches SET status = 'cancelled' WHERE id = $1`, [batch.id]); // the process died before its messages were
    await begin();
    const created = await buildQueued(test.db, test.workspaceId, { created_at: new Date(Date.now() + 1_000) });
    const { uncertain, scheduled, cancelled } = await recover();
    assert.deepEqual([uncertain, scheduled, cancelled], [[], [later.id], ids]);
    for (const id of [later.id, created.id, ...ids]) assert.deepEqual(await restoredAttempts(id), []);
    await cancelBatch(test.db, test.workspaceId, batch.id);
  });

  it('the recovery of a restored database treats a paused batch as possibly resumed, and reports it', async () => {
    const batch = await buildAcceptedBatch(test.db, test.workspaceId, [2, 1]);
    await pauseBatch(test.db, test.workspaceId, batch.id);
    await begin();
    const { uncertain, uncertain_paused } = await recover();
    const ids = batch.pages.flatMap((page) => page.ids);
    assert.deepEqual([uncertain.toSorted(), uncertain_paused.toSorted()], [ids.toSorted(), ids.toSorted()]);
  });

  it('the recovery of a restored database deletes messages and batches that were not accepted and not charged', async () => {
    const single = await buildUndecided(test.db, test.workspaceId);
    const batch = await buildBatch(test.db, test.workspaceId, [2, 1]);
    await begin();
    const { undecided_messages, undecided_batches } = await recover();
    assert.deepEqual([undecided_messages, undecided_batches], [[single.id], [batch.id]]);
    assert.deepEqual(await rows(test.db, `SELECT 1 FROM messages WHERE status = 'accepting'`), []);
  });

  it('the recovery of a restored database ends fallback chains whose next step may have been sent', async () => {
    const step = { channel: 'sms', to: '+15551230001', after: 3_600, content: {}, price: 1_000, segments: 1, encoding: 'GSM-7' } as const;
    const chained = async (scheduled_at: Date | null) => {
      const id = uuidv7();
      const message = newMessage({ id, workspace_id: test.workspaceId, group_id: id, scheduled_at });
      await insertMessages(test.db, { groupId: id, workflowId: workflowIds.message(id), messages: [message], fallback: [step] });
      await rows(test.db, `UPDATE messages SET status = 'queued', status_detail = 'sending' WHERE id = $1`, [id]);
      return id;
    };
    const [now, later] = [await chained(null), await chained(tomorrow())];
    await begin();
    assert.equal((await recover()).fallbacks, 1);
    const chains = await rows(test.db, 'SELECT message_id AS id, outcome FROM fallbacks ORDER BY message_id');
    assert.deepEqual(chains, [
      { id: now, outcome: 'unknown' },
      { id: later, outcome: null },
    ]);
    await rows(test.db, 'DELETE FROM messages WHERE id = ANY($1::uuid[])', [[now, later]]);
  });

  it('the recovery lists messages that wait for a report, and forgets webhook retriers', async () => {
    const sent = await buildSent(test.db, test.workspaceId);
    const { row } = await buildWebhook(test.workspaceId, 'https://one.example.test/');
    await rows(test.db, `UPDATE webhooks SET carrier_looks_at = now() + interval '1 day' WHERE id = $1`, [row.id]);
    await begin();
    const { awaiting_report } = await recover();
    assert.deepEqual(awaiting_report, [sent.id]);
    assert.equal((await row.reload()).get('carrier_looks_at') ?? null, null);
  });

  it('the recovery of a restored database changes nothing in a dry run, and reports the same', async () => {
    await buildUndecided(test.db, test.workspaceId);
    const [waiting] = [await buildQueued(test.db, test.workspaceId), await buildSent(test.db, test.workspaceId)];
    await begin();
    const dry = await recover(true);
    assert.equal(await statusOf(test.db, waiting.id), 'queued/accepted');
    assert.deepEqual(await rows(test.db, 'SELECT 1 FROM recovery_messages'), []);
    assert.deepEqual(await recover(), dry);
  });

  it('the recovery refuses with open connections or later messages, and goes on with --force', async () => {
    const temporal = await freshNamespace();
    const { id } = await buildQueued(test.db, test.workspaceId, { created_at: new Date() });
    const request = { asOf: new Date(Date.now() - 3_600_000), stoppedAt: null, waitSeconds: 1, dryRun: false, force: false };
    const own = testConfig({ DATABASE_URL: test.url, TEMPORAL_NAMESPACE: temporal.namespace });
    await assert.rejects(runRecovery(own, request), (error: Error) => {
      assert.match(error.message, /a connection to the database from 127\.0\.0\.1/);
      assert.match(error.message, /it was not restored to/);
      return true;
    });
    assert.equal((await messageOf(test.db, id)).status_detail, 'accepted');
    // Temporal's data is lost as well: there is nothing to end, and providers are asked all the same.
    const { recovery: begun, workflows, found } = await runRecovery(own, { ...request, force: true });
    assert.deepEqual([workflows, found.uncertain.includes(id)], [0, true]);
    const asking = await temporal.client.workflow.getHandle(workflowIds.recovery(begun.id)).describe();
    assert.equal(asking.status.name, 'RUNNING');
    await temporal.close();
  });
});

describe('the recovery on a Temporal server without the namespace', () => {
  it('the recovery says that the namespace must be created where Temporal has none', async () => {
    const database = await freshDatabase();
    const request = { asOf: new Date(), stoppedAt: null, waitSeconds: 1, dryRun: true, force: false };
    const own = testConfig({ DATABASE_URL: database.url, TEMPORAL_NAMESPACE: 'nowhere' });
    await assert.rejects(runRecovery(own, request), /^Error: Temporal at \S+ has no namespace "nowhere": create it first/);
    await database.drop();
  });
});

describe('the recovery in the namespace of another installation', () => {
  it('the recovery refuses the namespace of another installation also with --force', async () => {
    const [database, temporal] = await Promise.all([freshDatabase(), freshNamespace()]);
    const { client, namespace } = temporal;
    const action = { type: 'startWorkflow', workflowType: 'runWatcher', taskQueue: 'messages', memo: { installation: 'another' } } as const;
    await client.schedule.create({ scheduleId: workflowIds.watcher, spec: {}, action });
    const request = { asOf: new Date(), stoppedAt: null, waitSeconds: 1, dryRun: false, force: true };
    const own = testConfig({ DATABASE_URL: database.url, TEMPORAL_NAMESPACE: namespace });
    const message = `${foreignNamespace(namespace)}. ${foreignNamespaceFix(namespace)}`;
    await assert.rejects(runRecovery(own, request), { message });
    await Promise.all([database.drop(), temporal.close()]);
  });
});
