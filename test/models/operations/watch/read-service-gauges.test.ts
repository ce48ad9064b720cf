import assert from 'node:assert/strict';
import { nameWorker } from '../../../../activities/worker/worker-heartbeat.js';
import { clearServiceGauges, type GaugeReading, showReading } from '../../../../models/metrics/catalogue.js';
import { readServiceGauges } from '../../../../models/operations/watch/read-service-gauges.js';
import {
  forgetOldHeartbeats,
  noteHeartbeat,
  noteEndOfHeartbeats,
  seenWorkers,
} from '../../../../models/operations/watch/worker-heartbeats.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildBatch } from '../../../support/rows/batches.js';
import { buildDeliveries, buildDelivery } from '../../../support/rows/deliveries.js';
import { buildQueued, buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import { assertAbout } from '../../../support/measure/times.js';

describe('gauges of the whole service', () => {
  const database = useDatabase({ forEachTest: true });
  const read = async (): Promise<GaugeReading> => (await readServiceGauges(database.db))?.found ?? assert.fail('nothing was read');
  const age = (seconds: number) =>
    rows(database.db, "UPDATE service_gauges SET claimed_at = claimed_at - $1 * interval '1 second'", [seconds]);

  it('no gauge finds anything open in an empty database', async () => {
    const { open_messages, open_complete, ...others } = await read();
    assert.deepEqual([open_messages, open_complete], [[], true]);
    assert.ok(
      Object.values(others).every((value) => value === 0 || value === null),
      JSON.stringify(others),
    );
  });
  it('every value that a gauge shows is found', async () => {
    const missing = new Set<string>();
    const noting = {
      get(found: GaugeReading, name: keyof GaugeReading) {
        if (!(name in found)) missing.add(name);
        return found[name];
      },
    };
    showReading(new Proxy(await read(), noting as ProxyHandler<GaugeReading>));
    clearServiceGauges();
    assert.deepEqual([...missing], []);
  });
  it('open messages are found by reason with the age of the oldest, and what is overdue', async () => {
    const { id } = await buildWorkspace(database.db);
    await buildQueued(database.db, id);
    const { group_id } = await buildQueued(database.db, id);
    await rows(database.db, "UPDATE messages SET created_at = now() - interval '1 hour' WHERE group_id = $1", [group_id]);
    await rows(database.db, "UPDATE message_groups SET look_at = now() - interval '5 minutes' WHERE id = $1", [group_id]);
    const found = await read();
    const [queued] = found.open_messages;
    assert.deepEqual([found.open_messages.length, queued?.status, queued?.reason, queued?.count], [1, 'queued', 'accepted', 2]);
    assertAbout(queued?.seconds, 3_600, 60);
    assert.equal(found.groups_overdue, 1);
    assertAbout(found.groups_overdue_seconds, 300, 60);
  });
  it('the oldest message without a hand-off is a single one that is due', async () => {
    const { id } = await buildWorkspace(database.db);
    const [sent, queued, planned] = await Promise.all(Array.from({ length: 3 }, () => buildQueued(database.db, id)));
    const change = (message: { id: string } | undefined, set: string) =>
      rows(database.db, `UPDATE messages SET ${set} WHERE id = $1`, [message?.id]);
    await change(sent, "status = 'sent', status_detail = 'awaiting_report', sent_at = now(), created_at = now() - interval '4 hours'");
    await change(queued, "created_at = now() - interval '1 hour'");
    const batch = await buildBatch(database.db, id, [1]);
    await change(
      { id: batch.pages[0]?.ids[0] ?? '' },
      "status = 'queued', status_detail = 'accepted', created_at = now() - interval '2 hours'",
    );
    await change(planned, "scheduled_at = now() + interval '1 hour', created_at = now() - interval '3 hours'");
    assertAbout((await read()).unsent_seconds, 3_600, 60);
  });
  it('a message whose scheduled time is in the past is as old as its acceptance', async () => {
    const { id } = await buildWorkspace(database.db);
    await buildQueued(database.db, id, { scheduled_at: new Date(0) });
    const [queued] = (await read()).open_messages;
    assert.ok(queued !== undefined && queued.seconds < 60);
  });
  it('a delivery that waits for a failing receiver, or that is left to the retrier, is not overdue', async () => {
    const { id } = await buildWorkspace(database.db);
    await buildWebhook(id, 'https://one.example.test/', { events: ['message.queued'] });
    await buildDelivery(database.db, id);
    await rows(database.db, "UPDATE deliveries SET next_attempt_at = now() - interval '10 minutes'");
    const overdue = async (webhook: string) => {
      await rows(database.db, `UPDATE webhooks SET ${webhook}`);
      await age(20);
      const { deliveries_overdue_seconds: found } = await read();
      return found === null ? null : Math.round(found / 60);
    };
    assert.equal(await overdue('resume_at = NULL'), 10);
    assert.equal(await overdue("resume_at = now() + interval '1 hour'"), null);
    assert.equal(await overdue("resume_at = now() - interval '2 minutes'"), 2, 'it is due again from then on');
    assert.equal(await overdue('resume_at = NULL, is_active = false, revision = settled_revision + 1'), null);
  });
  it('a webhook that is paused is not counted as active, until its pause is over', async () => {
    const { id } = await buildWorkspace(database.db);
    for (const name of ['one', 'two', 'three']) await buildWebhook(id, `https://${name}.example.test/`);
    await rows(database.db, "UPDATE webhooks SET resume_at = now() + interval '1 hour' WHERE url LIKE '%one%'");
    await rows(database.db, "UPDATE webhooks SET resume_at = now() - interval '1 hour' WHERE url LIKE '%two%'");
    const { webhooks_active, webhooks_open, webhooks_disabled } = await read();
    assert.deepEqual([webhooks_active, webhooks_open, webhooks_disabled], [2, 1, 0]);
  });
  it('a delivery is overdue although thousands of older ones wait for a receiver that fails', async () => {
    const { id } = await buildWorkspace(database.db);
    for (const name of ['one', 'two']) await buildWebhook(id, `https://${name}.example.test/`, { events: ['message.queued'] });
    const [waiting, due] = await buildDeliveries(database.db, id);
    await rows(database.db, "UPDATE deliveries SET next_attempt_at = now() - interval '1 hour'");
    await rows(
      database.db,
      `WITH more AS (
         INSERT INTO events (id, workspace_id, type, body) SELECT gen_random_uuid(), $1, 'message.queued', '{}' FROM generate_series(1, 2000)
         RETURNING id, type
       )
       INSERT INTO deliveries (id, webhook_id, event_id, event, status, next_attempt_at)
       SELECT gen_random_uuid(), $2, id, type, 'pending', now() - interval '1 hour' FROM more`,
      [id, waiting?.webhook_id],
    );
    await rows(database.db, "UPDATE deliveries SET next_attempt_at = now() - interval '10 minutes' WHERE id = $1", [due?.id]);
    await rows(database.db, "UPDATE webhooks SET resume_at = now() + interval '1 hour' WHERE id = $1", [waiting?.webhook_id]);
    assert.equal(Math.round(((await read()).deliveries_overdue_seconds ?? 0) / 60), 10);
  });
  it('every message of a group is counted, except those that no longer wait', async () => {
    const { id } = await buildWorkspace(database.db);
    const { group_id } = await buildQueued(database.db, id);
    for (let count = 1; count < 30; count += 1) {
      const { id: other } = await buildQueued(database.db, id);
      await rows(database.db, 'UPDATE messages SET group_id = $1 WHERE id = $2', [group_id, other]);
    }
    const { id: over } = await buildQueued(database.db, id);
    await rows(database.db, "UPDATE messages SET status = 'sent', status_detail = 'unknown', sent_at = now() WHERE id = $1", [over]);
    const { open_messages, open_complete } = await read();
    assert.deepEqual(
      open_messages.map(({ status, count }) => [status, count]),
      [['queued', 30]],
    );
    assert.equal(open_complete, true);
  });
  it('gauges are read once in fifteen seconds, whichever process asks', async () => {
    await read();
    await buildQueued(database.db, (await buildWorkspace(database.db)).id);
    const again = await Promise.all([read(), read(), read()]);
    assert.deepEqual(
      again.map(({ open_messages }) => open_messages.length),
      [0, 0, 0],
    );
    await age(20);
    assert.equal((await read()).open_messages.length, 1);
  });
});

describe('heartbeats of workers', () => {
  const database = useDatabase();
  const silence = (worker: string, part: string, seconds: number) =>
    rows(database.db, "UPDATE worker_beats SET beat_at = now() - $3 * interval '1 second' WHERE worker = $1 AND part = $2", [
      worker,
      part,
      seconds,
    ]);
  const seen = async () => {
    const { known, alive, lost } = await seenWorkers(database.db);
    return [known, alive, lost];
  };

  it('a worker that crashed stays lost after its container was restarted with the same host name and process id', async () => {
    const [crashed, restarted] = [nameWorker(), nameWorker()];
    for (const part of ['messages', 'bulk']) {
      await noteHeartbeat(database.db, crashed, part);
      await silence(crashed, part, 12);
      await noteHeartbeat(database.db, restarted, part);
    }
    assert.deepEqual(await seen(), [2, 1, 1]);
    await rows(database.db, 'DELETE FROM worker_beats');
  });

  it('heartbeats of workers count dead threads and ends in good order, and nothing that is long ago', async () => {
    assert.deepEqual(await seen(), [0, 0, 0]);
    for (const worker of ['one', 'two']) for (const part of ['messages', 'bulk']) await noteHeartbeat(database.db, worker, part);
    assert.deepEqual(await seen(), [2, 2, 0]);
    await silence('one', 'bulk', 12);
    assert.deepEqual(await seen(), [2, 1, 1]);
    await noteHeartbeat(database.db, 'one', 'bulk');
    for (const part of ['messages', 'bulk']) await noteEndOfHeartbeats(database.db, 'two', part);
    assert.deepEqual(await seen(), [2, 1, 0]);
    for (const part of ['messages', 'bulk']) await silence('one', part, 700);
    assert.deepEqual(await seen(), [2, 0, 0]);
    for (const part of ['messages', 'bulk']) await silence('one', part, 90_000);
    await forgetOldHeartbeats(database.db);
    assert.deepEqual(await seen(), [1, 0, 0]);
  });
});
