import assert from 'node:assert/strict';
import { endpoints } from '../../../api/endpoints/index.js';
import { listTools, postMcp } from '../mcp/mcp-client.js';
import { credentialFor, makeResources, pathWith } from '../matrix/matrix-cases.js';
import { type Account, type Answer, startApp, type TestApp } from '../start-app.js';
import { useApi } from '../use-api.js';

const unknownId = '01900000-0000-7000-8000-000000000000';

describe('caches', () => {
  const app = useApi();
  let account: Account;
  let resourceIds: Record<string, string>;
  before(async () => {
    account = await app.account();
    resourceIds = await makeResources(app, account);
  });

  const assertNotStored = ({ status, headers }: Pick<Answer, 'status' | 'headers'>, wanted: number[]) => {
    assert.ok(wanted.includes(status), String(status));
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('etag'), null);
  };

  for (const item of endpoints.filter(({ method, auth }) => method === 'get' && (auth === 'jwt' || typeof auth === 'object'))) {
    it(`caches store no answer of GET ${item.path}`, async () => {
      const [list = ''] = item.path.split('/:');
      const path = pathWith(item, resourceIds[list] ?? unknownId);
      assertNotStored(await app.call('GET', path, credentialFor(item, account)), [200, 400, 404]);
      assertNotStored(await app.call('GET', path), [401]);
    });
  }
  it('caches store no new secret', async () => {
    const { jwt } = account;
    assertNotStored(await app.call('POST', '/api/v1/api-keys', { jwt, body: { name: 'k' } }), [201]);
    assertNotStored(await app.call('POST', '/api/v1/auth/totp', { jwt }), [200]);
  });
  it('caches store no refusal of an overloaded service, and no answer to MCP', async () => {
    const other: TestApp = await startApp({ MCP: 'on' });
    const { key } = await other.account();
    assertNotStored(await postMcp(other.url, { 'X-API-Key': key }, listTools), [200]);
    other.deps.acceptGate.isFullFor = () => true;
    assertNotStored(await other.call('POST', '/api/v1/messages/send', { key, body: {} }), [503]);
    await other.close();
  });
});
