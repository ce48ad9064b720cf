import assert from 'node:assert/strict';
import { startApp, type TestApp } from './start-app.js';

describe('GET /health', () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp();
  });
  afterEach(() => app.close());

  it('200 when all is ok, without an envelope', async () => {
    const { status, body } = await app.call('GET', '/health');
    assert.equal(status, 200);
    assert.deepEqual([body.status, body.services], ['ok', { database: 'ok', redis: 'ok', queue: 'ok' }]);
    assert.ok(Math.abs(Date.now() - Date.parse(body.timestamp)) < 5000);
  });
  for (const [what, hasWorker] of [
    ['no worker polls', async () => false],
    ['Temporal refuses', async () => Promise.reject(new Error('14 UNAVAILABLE'))],
    ['Temporal hangs', () => new Promise<boolean>(() => undefined)],
  ] as [string, () => Promise<boolean>][]) {
    it(`503 within 2.5 s when ${what}`, async () => {
      app.deps.temporal.hasWorker = hasWorker;
      const startedAt = performance.now();
      const { status, body } = await app.call('GET', '/health');
      assert.deepEqual([status, body.status, body.services], [503, 'degraded', { database: 'ok', redis: 'ok', queue: 'error' }]);
      assert.ok(performance.now() - startedAt < 2500);
    });
  }
  it('asks once for many who ask at the same time', async () => {
    let asked = 0;
    app.deps.temporal.hasWorker = async () => ++asked > 0;
    await Promise.all(Array.from({ length: 20 }, () => app.call('GET', '/health')));
    assert.equal(asked, 1);
  });
});
