/** The cookie of the console works from the console's own pages only. */
import assert from 'node:assert/strict';
import { useApi } from '../use-api.js';
import { own, useConsoleSession } from './console-session.js';

describe('the console session', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const { logIn, call } = useConsoleSession(app);

  const refused = { status: 403, error: 'The console session works from its own origin only' };
  const foreign: [string, Record<string, string>][] = [
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another host of the site', { 'Sec-Fetch-Site': 'same-site' }],
    ['no page', { 'Sec-Fetch-Site': 'none' }],
    ['another origin of an old browser', { Origin: 'https://evil.example.com' }],
    ['a sandboxed page', { Origin: 'null' }],
    ['another port', { Origin: 'http://127.0.0.1:1' }],
    ['neither header', {}],
  ];

  for (const [whose, headers] of foreign) {
    it(`403 for a change with the console session by ${whose}, and nothing is changed`, async () => {
      const { status, body } = await call('POST', '/api/v1/contacts', { email: 'x@example.com' }, headers);
      assert.deepEqual({ status, error: body.error }, refused);
      assert.equal((await call('GET', '/api/v1/contacts')).body.data.pagination.total, 0);
    });
  }

  it('403 for a console login by another site, and no cookie is set', async () => {
    // It would put the victim into the account of the attacker.
    for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.example.com' }] as Record<string, string>[]) {
      const { status, body, headers: sent } = await logIn({}, headers);
      assert.deepEqual({ status, error: body.error, cookie: sent.get('set-cookie') }, { ...refused, cookie: null });
    }
  });

  it('403 for a read with the console session by a page of another site', async () => {
    for (const site of ['cross-site', 'same-site']) {
      assert.equal((await call('GET', '/api/v1/messages', undefined, { 'Sec-Fetch-Site': site })).status, 403);
    }
    assert.equal((await call('GET', '/api/v1/messages', undefined, { 'Sec-Fetch-Site': 'none' })).status, 200);
    assert.equal((await call('GET', '/api/v1/messages', undefined, {})).status, 200);
  });

  it('201 for a change with the console session by its own page, with Sec-Fetch-Site or Origin', async () => {
    for (const headers of [own, { Origin: app.url }, { Origin: `https://${new URL(app.url).host}` }] as Record<string, string>[]) {
      assert.equal((await call('POST', '/api/v1/api-keys', { name: 'k' }, headers)).status, 201);
    }
  });
});
