import assert from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Client } from 'pg';
import { type GroupProgress, driveGroup } from '../../../activities/groups/drive-group.js';
import type { Database } from '../../../models/db/database.js';
import type { Wake } from '../../../models/operations/reports/record-reports.js';
import type { LeftDeliveries } from '../../../workflows/contract.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { workspaceForEach } from '../../support/for-each.js';
import { acceptedAs, buildQueuedGroup, claimAll, messageOf, reportOf, sandboxEverywhere, statusOf } from '../../support/rows/messages.js';
import { recordHandoffs, recordReports } from '../../support/rows/reports.js';

const done = { open: 0, queued: 0, deliveries: 0, reports: false, paused: false };
const nothing: LeftDeliveries = { children: [], retriers: [] };

describe('driveGroup', () => {
  const test = workspaceForEach();

  const buildSentGroup = async (size: number) => {
    const group = await buildQueuedGroup(test.db, test.workspaceId, size);
    const claims = await claimAll(test.db, group.groupId, sandboxEverywhere);
    await recordHandoffs(
      test.db,
      claims.map((claim) => acceptedAs(claim)),
    );
    return group;
  };
  const report = async (id: string): Promise<Wake[]> => recordReports(test.db, [reportOf(await messageOf(test.db, id), 'delivered')]);

  /** Deliveries as the receiver acknowledges them: all at once, when the gate opens. */
  const deliverAll = async (groupId: string): Promise<LeftDeliveries> => {
    await rows(test.db, `UPDATE deliveries SET status = 'succeeded' WHERE group_id = $1 AND status = 'pending'`, [groupId]);
    return nothing;
  };
  const drive = (
    groupId: string,
    deliver: (retakesLeft: boolean) => Promise<LeftDeliveries> = () => deliverAll(groupId),
    retakesLeft = false,
    handOff?: Promise<never>,
  ) => {
    const environment = new MockActivityEnvironment({ scheduleToCloseTimeoutMs: 0 });
    const stop = new AbortController();
    const deps = { db: test.db, deliver, driven: new Set<string>(), waitingMax: 1, crowdedMs: 0, key: Buffer.alloc(32) };
    const how = { signal: stop.signal, retakesLeft, ...(handOff && { handOff }) };
    const work = environment.run(() => driveGroup(deps, groupId, how)) as Promise<GroupProgress>;
    return { work, stop: () => stop.abort() };
  };

  it('reports of a driven group are applied as they arrive, without a wake-up', async () => {
    const { groupId, ids } = await buildSentGroup(3);
    const { work } = drive(groupId);
    await until(async () => (await isAwake(groupId)) === true, 'the group is driven');
    for (const id of ids) {
      assert.deepEqual(await report(id), [], 'the activity reads the inbox itself');
      await until(async () => (await statusOf(test.db, id)) === 'delivered/delivered', 'the report is applied');
    }
    assert.deepEqual(await work, { ...done, isOver: true, left: nothing });
  });

  it('driveGroup ends after one second without reports, and the next report wakes the workflow', async () => {
    const { groupId, ids } = await buildSentGroup(2);
    assert.deepEqual(await drive(groupId).work, { ...done, open: 2, isOver: false, left: nothing });
    assert.equal(await isAwake(groupId), false);
    const wakes = await report(ids[0] as string);
    assert.deepEqual(
      wakes.map((wake) => wake.groupId),
      [groupId],
    );
  });

  it('driveGroup ends at once when no message is at the provider', async () => {
    await buildWebhook(test.workspaceId, 'https://one.example.test/');
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}]);
    let rounds = 0;
    const driven = await drive(groupId, () => {
      rounds += 1;
      return deliverAll(groupId);
    }).work;
    assert.deepEqual([driven, rounds], [{ ...done, open: 2, queued: 2, isOver: false, left: nothing }, 1]);
    await until(async () => {
      const startedAt = Date.now();
      await drive(groupId).work;
      return Date.now() - startedAt < 1_000;
    }, 'no silence is waited for');
  });

  it('reports are applied while an endpoint of the group hangs', async () => {
    await buildWebhook(test.workspaceId, 'https://one.example.test/', { events: ['message.sent', 'message.delivered'] });
    const { groupId, ids } = await buildSentGroup(1);
    const [id = ''] = ids;
    let acknowledge: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      acknowledge = resolve;
    });
    const rounds: number[] = [];
    const { work } = drive(groupId, async () => {
      const [due] = await rows<{ count: number }>(test.db, `SELECT count(*) FROM deliveries WHERE group_id = $1 AND status = 'pending'`, [
        groupId,
      ]);
      rounds.push(due?.count ?? 0);
      if (rounds.length > 1) return deliverAll(groupId);
      await answered;
      await rows(test.db, `UPDATE deliveries SET status = 'succeeded' WHERE group_id = $1 AND event = 'message.sent'`, [groupId]);
      return nothing;
    });
    await until(() => rounds.length === 1, 'the endpoint is called');
    await report(id);
    await until(async () => (await statusOf(test.db, id)) === 'delivered/delivered', 'the report is applied');
    acknowledge();
    assert.deepEqual(await work, { ...done, isOver: true, left: nothing });
    assert.deepEqual(rounds, [1, 1]);
  });

  it('driveGroup ends at once when deliveries are left to children, and when the worker stops', async () => {
    await buildWebhook(test.workspaceId, 'https://one.example.test/', { events: ['message.sent'] });
    const { groupId } = await buildSentGroup(1);
    const left = { children: [{ webhookId: 'w', deliveryIds: ['d'] }], retriers: [] };
    const driven = await drive(groupId, async () => {
      await deliverAll(groupId);
      return left;
    }).work;
    assert.deepEqual(driven, { ...done, open: 1, isOver: false, left });
    const stopped = drive(groupId);
    stopped.stop();
    assert.deepEqual(await stopped.work, { ...done, open: 1, isOver: false, left: nothing });
    assert.equal(await isAwake(groupId), false);
  });

  it('driveGroup looks for deliveries of children once after a crash', async () => {
    const { groupId } = await buildSentGroup(1);
    const asked: boolean[] = [];
    const { work, stop } = drive(
      groupId,
      async (retakesLeft) => {
        if (asked.push(retakesLeft) === 2) stop();
        return nothing;
      },
      true,
    );
    await work;
    assert.deepEqual(asked, [true]);
  });

  it('events are attempted if the hand-off fails while the group is read for the first time', async () => {
    await buildWebhook(test.workspaceId, 'https://one.example.test/', { events: ['message.sent'] });
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, [{}]);
    const claims = await claimAll(test.db, groupId, sandboxEverywhere);
    let fail: (error: Error) => void = () => undefined;
    const handOff = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
    beforeFirstCount(test.db, async () => {
      await recordHandoffs(
        test.db,
        claims.map((claim) => acceptedAs(claim)),
      );
      fail(new Error('the provider does not answer'));
    });
    let rounds = 0;
    const driving = drive(groupId, () => ((rounds += 1), deliverAll(groupId)), false, handOff);
    assert.deepEqual([await driving.work, rounds], [{ ...done, open: 1, isOver: false, left: nothing }, 1]);
  });

  it('driveGroup fails when deliveries fail for an internal reason', async () => {
    await buildWebhook(test.workspaceId, 'https://one.example.test/', { events: ['message.sent'] });
    const { groupId } = await buildSentGroup(1);
    await assert.rejects(drive(groupId, () => Promise.reject(new Error('the database went away'))).work, /the database went away/);
  });

  const isAwake = async (groupId: string): Promise<boolean | undefined> => {
    const [group] = await rows<{ reports_pending: boolean }>(test.db, 'SELECT reports_pending FROM message_groups WHERE id = $1', [
      groupId,
    ]);
    return group?.reports_pending;
  };
});

/** Does the work when the database has counted the open work of the group for the first time, before the caller learns the result. */
function beforeFirstCount(db: Database, work: () => Promise<void>): void {
  const { connectionManager } = db as unknown as { connectionManager: { getConnection(options: object): Promise<Client> } };
  const getConnection = connectionManager.getConnection.bind(connectionManager);
  let isCounted = false;
  connectionManager.getConnection = async (options) => {
    const connection = await getConnection(options);
    if (isCounted) return connection;
    const query = connection.query.bind(connection) as (...args: unknown[]) => unknown;
    const held = (sql: unknown, bind: unknown, done: (...results: unknown[]) => void) => {
      if (isCounted || !String(sql).includes('AS paused')) return query(sql, bind, done);
      isCounted = true;
      return query(sql, bind, (...results: unknown[]) => void work().then(() => done(...results)));
    };
    return Object.assign(connection, { query: held });
  };
}
