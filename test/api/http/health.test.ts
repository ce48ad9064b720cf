import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { assertAbout, assertRecent } from '../../support/measure/times.js';
import { until } from '../../support/client.js';
import { withClock } from '../../support/shift-clock.js';
import type { TestApp } from '../start-app.js';
import { useApi, useApiStarts } from '../use-api.js';

describe('GET /health', () => {
  const app = useApi({ forEachTest: true });

  it('/health: 200 when all is ok, without an envelope', async () => {
    const { status, body } = await app.call('GET', '/health');
    assert.equal(status, 200);
    assert.deepEqual([body.status, body.services], ['ok', { database: 'ok', redis: 'ok', queue: 'ok' }]);
    assertRecent(body.timestamp);
  });
  for (const [what, hasWorker] of [
    ['no worker polls', async () => false],
    ['Temporal refuses', async () => Promise.reject(new Error('14 UNAVAILABLE'))],
    ['Temporal hangs', () => new Promise<boolean>(() => undefined)],
  ] as [string, () => Promise<boolean>][]) {
    it(`/health: 503 when ${what}`, async () => {
      app.deps.temporal.hasWorker = hasWorker;
      const startedAt = performance.now();
      const { status, body } = await app.call('GET', '/health');
      assert.deepEqual([status, body.status, body.services], [503, 'degraded', { database: 'ok', redis: 'ok', queue: 'error' }]);
      assert.ok(performance.now() - startedAt < 10_000, 'it waits two seconds for an answer');
    });
  }
  describe('of the watcher', () => {
    const roundBefore = (seconds: number, failing: string[] = []) =>
      rows(app.deps.db, `INSERT INTO watcher (round_at, failing) VALUES (now() - $1 * interval '1 second', $2)`, [seconds, failing]);
    const startApi = useApiStarts();
    const startedBefore = (seconds: number, api: TestApp = app) => {
      api.deps.startedAt = performance.now() - seconds * 1_000;
    };
    const health = async (api: TestApp = app) => {
      const { status, body } = await api.call('GET', '/health');
      return [status, body.status, body.watcher.status];
    };

    it('/health: 200 with the age of the watcher and the steps that failed', async () => {
      startedBefore(1_000);
      await roundBefore(100, ['repairMails']);
      const { status, body } = await app.call('GET', '/health');
      assert.equal(status, 200);
      assertAbout(body.watcher.age_seconds, 100, 10);
      assert.deepEqual([body.watcher.status, body.watcher.failing], ['ok', ['repairMails']]);
    });
    it('/health: 503 when the watcher has not run for three minutes', async () => {
      startedBefore(1_000);
      await roundBefore(185);
      assert.deepEqual(await health(), [503, 'degraded', 'error']);
    });
    it('/health: 503 when the watcher has not run three minutes after the start', async () => {
      assert.deepEqual(await health(), [200, 'ok', 'ok']);
      const long = await startApi();
      startedBefore(185, long);
      assert.deepEqual(await health(long), [503, 'degraded', 'error']);
    });
    it('/health: 200 right after a start with an old last run of the watcher', async () => {
      await roundBefore(86_400);
      assert.deepEqual(await health(), [200, 'ok', 'ok']);
    });
  });
  const answers = (status: number) => until(async () => (await app.call('GET', '/health')).status === status, `/health answers ${status}`);
  it('/health: 503 soon after the last worker has ended, also when the clock was set back', async () => {
    await app.call('GET', '/health');
    app.deps.temporal.hasWorker = async () => false;
    await withClock(-3_600_000, () => answers(503));
  });
  it('/health: 200 when only the clock of its process is ahead, because polls have an age by the clock of the database', async () => {
    const startedAt = Date.now();
    app.deps.temporal.hasWorker = async (now) => now < startedAt + 600_000;
    await withClock(3_600_000, () => answers(200));
  });
  it('/health checks once for many requests at once', async () => {
    let asked = 0;
    app.deps.temporal.hasWorker = async () => ++asked > 0;
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => app.call('GET', '/health')));
    const seconds = Math.floor((performance.now() - startedAt) / 1_000);
    assert.ok(asked >= 1 && asked <= 1 + seconds, `${asked} checks in ${seconds} s: a result holds for one`);
  });
});
