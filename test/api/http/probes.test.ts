import assert from 'node:assert/strict';
import { useApi } from '../use-api.js';

describe('probes', () => {
  const app = useApi({ env: { RATE_LIMIT_API: '3/60' } });

  it('200 at /live and /ready, however often a load balancer asks', async () => {
    for (let asked = 0; asked < 10; asked += 1) {
      for (const path of ['/live', '/ready']) {
        const { status, body } = await app.call('GET', path);
        assert.deepEqual([status, body], [200, { status: 'ok' }]);
      }
    }
  });
  it('503 at /ready during a drain, 200 at /live', async () => {
    app.deps.isDraining = true;
    const [ready, live] = [await app.call('GET', '/ready'), await app.call('GET', '/live')];
    assert.deepEqual([ready.status, ready.body, live.status], [503, { status: 'draining' }, 200]);
    app.deps.isDraining = false;
  });
});
