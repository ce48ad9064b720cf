import assert from 'node:assert/strict';
import { type Activities, createActivities } from '../../../activities/index.js';
import { SharedEndpointStats } from '../../../activities/webhooks/shared-endpoint-stats.js';
import { ownerOfWork } from '../../../activities/worker/worker-thread.js';
import type { PostResult } from '../../../activities/webhooks/post-webhook.js';
import { forEachChannel } from '../../../models/channels.js';
import { connect, type Database } from '../../../models/db/database.js';
import type { Pace } from '../../../models/flow/give-way.js';
import { silentLogger } from '../../support/carriers/stub-provider.js';
import { until } from '../../support/client.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { workspaceForEach } from '../../support/for-each.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { buildSent } from '../../support/rows/messages.js';
import { inActivity } from '../../support/temporal/in-activity.js';

/** As many attempts as one endpoint gets at once. */
const atOnce = 16;

describe('the activities of a process', () => {
  const test = workspaceForEach();

  it('the activities of a process count resends and first attempts to an endpoint together, in two threads', async () => {
    const { row } = await buildWebhook(test.workspaceId, 'https://receiver.example/hook');
    const messages = [];
    for (let index = 0; index < atOnce / 2; index += 1) messages.push(await buildSent(test.db, test.workspaceId));
    const due = await rows<{ id: string }>(test.db, 'SELECT id FROM deliveries WHERE webhook_id = $1', [row.id]);
    assert.equal(due.length, atOnce);
    const next = await buildSent(test.db, test.workspaceId);
    const answers: (() => void)[] = [];
    let isQuick = false;
    const post = () =>
      isQuick ? Promise.resolve(acknowledged()) : new Promise<PostResult>((resolve) => answers.push(() => resolve(acknowledged())));
    const { memory } = new SharedEndpointStats();
    const [thread, otherThread] = [1, 2].map(() => activitiesOf(test.db, post, new SharedEndpointStats(memory))) as [
      Activities,
      Activities,
    ];

    const resends = due.map(({ id }) => inActivity(otherThread.attemptNow, [{ deliveryId: id, trigger: 'manual' }]));
    await until(() => Promise.resolve(answers.length === atOnce), 'every resend has begun');
    const { retriers } = await inActivity(thread.deliverEvents, [next.group_id]);

    assert.deepEqual([retriers, answers.length], [[row.id], atOnce]);
    for (const answer of answers) answer();
    await Promise.all(resends);
    const later = await buildSent(test.db, test.workspaceId);
    isQuick = true;
    assert.deepEqual(await inActivity(thread.deliverEvents, [later.group_id]), { children: [], retriers: [] });
  });

  it('attempts are recorded as work of no workspace, because one statement serves many', async () => {
    await buildWebhook(test.workspaceId, 'https://receiver.example/hook');
    const { group_id } = await buildSent(test.db, test.workspaceId);
    const owners: (string | undefined)[] = [];
    const noting: Pace = {
      run: (work) => {
        owners.push(ownerOfWork());
        return work();
      },
      rest: () => Promise.resolve(),
    };
    const db = connect(test.url, 2, { pace: noting });
    const { deliverEvents } = activitiesOf(db, () => Promise.resolve(acknowledged()));
    await inActivity(deliverEvents, [group_id], { priority: { fairnessKey: test.workspaceId } });
    await db.close();
    assert.deepEqual(new Set(owners), new Set([test.workspaceId, undefined]));
  });
});

const activitiesOf = (db: Database, post: () => Promise<PostResult>, endpoints = new SharedEndpointStats()): Activities =>
  createActivities({
    db,
    config: testConfig(),
    logger: silentLogger,
    providers: { accounts: new Map(), routes: forEachChannel(() => []) },
    poster: { post, close: () => undefined },
    endpoints,
    starts: {} as never,
  });

const acknowledged = (): PostResult => ({
  at: new Date(),
  durationMs: 1,
  requestHeaders: null,
  responseHeaders: null,
  timings: { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null, total_ms: 1 },
  remoteAddress: null,
  responseStatus: 200,
  responseBody: null,
  retryAfter: undefined,
  error: null,
});
