import assert from 'node:assert/strict';
import { until } from '../../support/client.js';
import type { TestApp } from '../start-app.js';
import { useApiStarts } from '../use-api.js';

interface Line {
  route: string;
  status: number;
  address?: string;
  key_id?: string;
  workspace_id?: string;
}

describe('the log line of a request', () => {
  const startApi = useApiStarts();
  let app: TestApp;
  const lines: Line[] = [];

  const start = async (env: NodeJS.ProcessEnv = {}) => {
    app = await startApi(env);
    lines.length = 0;
    app.deps.logger.info = ((line: Line) => void lines.push(line)) as typeof app.deps.logger.info;
    return app.account();
  };
  const newest = async (status: number) => {
    await until(() => lines.some((line) => line.status === status), `a line with ${status}`);
    return lines.find((line) => line.status === status);
  };

  it('names the client, the key and the workspace without personal data', async () => {
    const { key, workspaceId, jwt } = await start({ TRUSTED_PROXIES: '127.0.0.1' });
    const body = { to: '+15551234567', channel: 'sms', content: { text: 'a secret text' }, reference: 'ref-1' };
    const headers = { 'X-Forwarded-For': '203.0.113.7', 'User-Agent': 'tester' };
    await app.call('POST', '/api/v1/messages/send', { key, body, headers });
    const line = await newest(201);
    const [{ id }] = (await app.call('GET', '/api/v1/api-keys', { jwt })).body.data.api_keys;
    assert.deepEqual([line?.address, line?.key_id, line?.workspace_id], ['203.0.113.7', id, workspaceId]);
    assert.doesNotMatch(JSON.stringify(lines), /5551234567|secret text|ref-1|tester|tidings_/);
  });
  it('names the client of a refused request by its socket without a trusted proxy', async () => {
    await start();
    await app.call('GET', '/nothing', { headers: { 'X-Forwarded-For': '203.0.113.7' } });
    assert.equal((await newest(404))?.address, '127.0.0.1');
    await app.call('GET', '/api/v1/messages', { key: 'x' });
    const line = await newest(401);
    assert.deepEqual([line?.address, line?.key_id], ['127.0.0.1', undefined]);
  });
});
