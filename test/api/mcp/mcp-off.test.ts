import assert from 'node:assert/strict';
import { useApi } from '../use-api.js';

describe('without MCP=on', () => {
  const app = useApi();

  it('404 for /mcp without MCP=on', async () => {
    const { key } = await app.account();
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const { status, body } = await app.call(method, '/mcp', { headers: { 'X-API-Key': key } });
      const { body: expected } = await app.call(method, '/mcq', { headers: { 'X-API-Key': key } });
      assert.deepEqual([status, body?.error], [404, expected?.error]);
    }
  });
});
