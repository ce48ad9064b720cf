import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { Attempts } from '../../../activities/webhooks/attempts.js';
import type { Dispatched } from '../../../activities/handoff/dispatch.js';
import { type GroupDeps, groupActivities } from '../../../activities/groups/groups.js';
import { dispatcher } from '../../../activities/messages.js';
import { activitySlots } from '../../../activities/support/slots.js';
import { webhookPoster, type WebhookPoster } from '../../../activities/webhooks/post-webhook.js';
import { countGroupWork } from '../../../models/operations/messages/count-group-work.js';
import { until } from '../../support/client.js';
import { queues } from '../../../workflows/contract.js';
import { everywhere, silentLogger, stubProvider } from '../../support/carriers/stub-provider.js';
import { testConfig } from '../../support/config.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { workspaceForEach } from '../../support/for-each.js';
import { failureOf, inActivity, silentStarts } from '../../support/temporal/in-activity.js';
import { acceptedAs, buildQueuedGroup, claimAll, messageOf, reportOf, sandboxEverywhere, statusOf } from '../../support/rows/messages.js';
import { recordHandoffs, recordReports } from '../../support/rows/reports.js';
import { acknowledge, answerWith, type Receiver, startReceiver, trustTestAuthority } from '../../support/network/receiver.js';

describe('sendGroup', () => {
  const test = workspaceForEach({ balance: 1_000_000 });
  let poster: WebhookPoster;
  let receiver: Receiver;
  before(async () => {
    await trustTestAuthority();
    poster = webhookPoster(testConfig());
  });
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());
  after(() => poster.close());

  const buildGroup = (size = 2) => buildQueuedGroup(test.db, test.workspaceId, size);
  const activities = (dispatch: GroupDeps['dispatch'] = notHandedOff) => {
    const config = testConfig();
    return groupActivities({ db: test.db, config, attempts: new Attempts({ db: test.db, config, poster }), dispatch });
  };
  const send = (groupId: string, dispatch: GroupDeps['dispatch'], attempt = 1) =>
    inActivity(activities(dispatch).sendGroup, [groupId], attempt);
  /** The provider takes so many of the group; by default their reports come with the answer. */
  const take = async (groupId: string, limit = 25, reports = true): Promise<Dispatched> => {
    const claims = await claimAll(test.db, groupId, sandboxEverywhere, { limit });
    await recordHandoffs(
      test.db,
      claims.map((claim) => acceptedAs(claim)),
    );
    for (const { id } of reports ? claims : []) await recordReports(test.db, [reportOf(await messageOf(test.db, id), 'delivered')]);
    return { ...(await countGroupWork(test.db, groupId)), more: false };
  };
  const notHandedOff = () => Promise.reject(ApplicationFailure.create({ type: 'NotHandedOff' }));
  const eventsOf = () => receiver.received.map(({ headers }) => headers['x-service-event']);

  it('sendGroup hands off the messages, applies their reports and delivers their events', async () => {
    await buildWebhook(test.workspaceId, receiver.url);
    const { groupId, ids } = await buildGroup();
    const { isOver, open, queued, more, left } = await send(groupId, () => take(groupId));
    assert.deepEqual(
      { isOver, open, queued, more, left },
      { isOver: true, open: 0, queued: 0, more: false, left: { children: [], retriers: [] } },
    );
    for (const id of ids) assert.equal(await statusOf(test.db, id), 'delivered/delivered');
    for (const event of ['message.queued', 'message.sent', 'message.delivered']) {
      assert.equal(eventsOf().filter((told) => told === event).length, ids.length, event);
    }
  });

  it('sendGroup delivers due events during a slow call to the provider', async () => {
    await buildWebhook(test.workspaceId, receiver.url);
    const { groupId } = await buildGroup();
    await send(groupId, async () => {
      await receiver.untilReceived(2);
      assert.deepEqual(eventsOf(), ['message.queued', 'message.queued']);
      return take(groupId);
    });
  });

  it('sendGroup ends at once after a partial hand-off, with the rest still queued', async () => {
    const { groupId } = await buildGroup();
    const { isOver, queued } = await send(groupId, () => take(groupId, 1));
    assert.deepEqual({ isOver, queued }, { isOver: false, queued: 1 });
  });

  it('sendGroup fails when the hand-off fails, after the queued events are delivered', async () => {
    await buildWebhook(test.workspaceId, receiver.url);
    const { groupId } = await buildGroup();
    assert.equal((await failureOf(send(groupId, notHandedOff))).type, 'NotHandedOff');
    assert.deepEqual(eventsOf(), ['message.queued', 'message.queued'], 'events of what has happened are written all the same');
  });

  it('sendGroup is tried again within a minute although the carrier asks for more, because events wait for it', async () => {
    const provider = stubProvider(() => ({ outcome: 'retryable', detail: '503', retryAfterMs: 900_000 }));
    const deps = { db: test.db, config: testConfig(), logger: silentLogger, providers: everywhere(provider), starts: silentStarts };
    const { groupId } = await buildGroup();
    const { type, nextRetryDelay } = await failureOf(send(groupId, dispatcher(deps)));
    assert.deepEqual([type, nextRetryDelay], ['NotHandedOff', 60_000]);
  });

  it('sendGroup returns the retrier of open deliveries before it fails', async () => {
    receiver.answer = answerWith(500);
    const { row } = await buildWebhook(test.workspaceId, receiver.url);
    const { groupId } = await buildGroup();
    const { left, isOver, queued } = await send(groupId, notHandedOff);
    assert.deepEqual(
      { left, isOver, queued },
      { left: { children: [], retriers: [row.id], workspaces: { [row.id]: test.workspaceId } }, isOver: false, queued: 2 },
    );
    assert.equal((await failureOf(send(groupId, notHandedOff, 2))).type, 'NotHandedOff', 'no second event of them is written');
  });

  it('sendGroup that returns a retrier after a failed hand-off also returns how long the carrier asked to wait', async () => {
    receiver.answer = answerWith(500);
    await buildWebhook(test.workspaceId, receiver.url);
    const provider = stubProvider(() => ({ outcome: 'retryable', detail: '503', retryAfterMs: 30_000 }));
    const deps = { db: test.db, config: testConfig(), logger: silentLogger, providers: everywhere(provider), starts: silentStarts };
    const { groupId } = await buildGroup();
    const { left, more, queued, retryInMs } = await send(groupId, dispatcher(deps));
    assert.deepEqual([left.retriers.length, more, queued, retryInMs], [1, false, 2, 30_000]);
  });

  it('driveGroup finds deliveries that a call before a crash left to a retrier', async () => {
    receiver.answer = answerWith(500);
    const { row } = await buildWebhook(test.workspaceId, receiver.url);
    const { groupId } = await buildGroup();
    await send(groupId, () => take(groupId)); // the worker died before it could report that
    const { again, isOver } = await send(groupId, () => take(groupId), 2);
    assert.deepEqual({ again, isOver }, { again: true, isOver: true });
    const found = await inActivity(activities().driveGroup, [groupId, false, true]);
    assert.deepEqual(found.left, { children: [], retriers: [row.id], workspaces: { [row.id]: test.workspaceId } });
  });

  it('driveGroup is called again at once when a report writes an event during its last round', async () => {
    await buildWebhook(test.workspaceId, receiver.url, { events: ['message.sent'] });
    await buildWebhook(test.workspaceId, receiver.url, { events: ['message.delivered'] });
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}]);
    const [id = ''] = ids;
    await take(groupId, 1, false);
    const report = async () => recordReports(test.db, [reportOf(await messageOf(test.db, id), 'delivered')]);
    receiver.answer = (_sent, response) => {
      receiver.answer = acknowledge;
      void report()
        .then(() => until(async () => (await statusOf(test.db, id)) === 'delivered/delivered', 'the report is applied'))
        .then(() => response.writeHead(500).end());
    };
    const driveGroup = () => inActivity(activities().driveGroup, [groupId, false, false]);
    const { isOver, deliveries, left } = await driveGroup();
    assert.deepEqual(
      { isOver, deliveries, more: left.more, retriers: left.retriers.length },
      { isOver: false, deliveries: 1, more: true, retriers: 1 },
    );
    const last = await driveGroup();
    assert.deepEqual([last.isOver, last.left, eventsOf()], [true, { children: [], retriers: [] }, ['message.sent', 'message.delivered']]);
  });

  it('pages wait for further reports in half of their slots, and end soon beyond that', async () => {
    const half = activitySlots[queues.bulk] / 2;
    const driveTogether = async (count: number, mayEnd: (ended: number, rounds: number) => boolean) => {
      const groups = await Promise.all(Array.from({ length: count }, () => buildGroup(20)));
      for (const { groupId } of groups) await take(groupId, 20, false);
      const { driveGroup } = activities();
      let ended = 0;
      const drives = groups.map(({ groupId }) => inActivity(driveGroup, [groupId, true, false]).finally(() => (ended += 1)));
      for (let round = 0; !mayEnd(ended, round); round += 1) {
        for (const { ids } of groups) await recordReports(test.db, [reportOf(await messageOf(test.db, ids[round] ?? ''), 'delivered')]);
        await sleep(250);
      }
      const endedMeanwhile = ended;
      await Promise.all(drives);
      return endedMeanwhile;
    };
    assert.equal(await driveTogether(half, (ended, rounds) => ended > 0 || rounds === 12), 0, 'three seconds with reports');
    assert.ok((await driveTogether(half + 1, (ended, rounds) => ended > 0 || rounds === 19)) > 0, 'one leaves its slot to another page');
  });
});
