import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { withUnsubscribe } from '../../../activities/handoff/providers/unsubscribe-headers.js';
import type { OutgoingMessage } from '../../../activities/handoff/providers/provider.js';
import { channels } from '../../../models/channels.js';
import { signSandboxCallback } from '../../../models/rules/callbacks/sandbox.js';
import { unsubscribeToken } from '../../../models/rules/contacts/unsubscribe.js';
import { rows } from '../../support/database.js';
import { buildSent, claimAll, sandboxEverywhere } from '../../support/rows/messages.js';
import { stubProvider } from '../../support/carriers/stub-provider.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const path = '/api/v1/suppressions';
const entry = { channel: 'sms', recipient: '+15551234567' };

describe('suppressions over HTTP', () => {
  const app = useApi();
  let account: Account;
  beforeEach(async () => {
    account = await app.account();
  });
  const add = (body: object) => app.call('POST', path, { key: account.key, body });
  const listed = async (query = '') => {
    const { body } = await app.call('GET', `${path}${query}`, { jwt: account.jwt });
    return body.data.suppressions as { id: string; recipient: string; reason: string; source: string }[];
  };

  it('201 for a new suppression, which is listed, shown and removed', async () => {
    const { status, body } = await add({ channel: 'email', recipient: 'Ada+1@Example.com' });
    const { suppression } = body.data;
    assert.deepEqual([status, suppression.recipient, suppression.reason, suppression.source], [201, 'ada+1@example.com', 'manual', 'api']);
    await add(entry);
    assert.deepEqual(
      (await listed()).map(({ recipient }) => recipient),
      ['+15551234567', 'ada+1@example.com'],
    );
    assert.deepEqual(await listed('?channel=email&reason=manual&recipient=ADA%2B1@example.com'), [suppression]);
    assert.deepEqual(await listed('?recipient=ADA+1@example.com'), [suppression]);
    assert.deepEqual((await listed('?recipient=+15551234567')).length, 1);
    assert.deepEqual((await app.call('GET', `${path}/${suppression.id}`, account)).body.data.suppression, suppression);
    const removed = await app.call('DELETE', `${path}/${suppression.id}`, { key: account.key });
    assert.deepEqual([removed.status, (await listed()).length], [200, 1]);
  });

  it('a suppression that is added twice is stored once, and an expired one is not listed', async () => {
    const [first, second] = [await add(entry), await add({ ...entry, reason: 'opt_out' })];
    assert.deepEqual(second.body.data, first.body.data);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    assert.equal((await add({ channel: 'sms', recipient: '+15551234568', expires_at: later })).status, 201);
    assert.equal((await listed()).length, 2);
    await rows(app.deps.db, 'UPDATE suppressions SET expires_at = now() WHERE expires_at IS NOT NULL');
    assert.equal((await listed()).length, 1);
  });

  for (const [body, error] of [
    [{ channel: 'voice', recipient: '+15551234567' }, `Invalid channel. Must be one of: ${channels.join(', ')}`],
    [{ channel: 'sms', recipient: 'a@b.co' }, 'Phone number must be in E.164 format'],
    [{ channel: 'email', recipient: '+15551234567' }, 'Invalid email address'],
    [{ channel: 'sms' }, 'Missing required field: recipient'],
    [{ ...entry, reason: 'mood' }, 'Invalid reason. Must be one of: opt_out, complaint, bounce, manual'],
    [{ ...entry, expires_at: '2020-01-01T00:00:00Z' }, 'expires_at must be in the future'],
  ] as const) {
    it(`a suppression with wrong fields gets 400 ${error}`, async () => {
      const answer = await add(body);
      assert.deepEqual([answer.status, answer.body.error], [400, error]);
    });
  }

  it('201 for a message to a suppressed recipient', async () => {
    await add(entry);
    const body = { to: entry.recipient, channel: 'sms', content: { text: 'x' } };
    const { status, body: answer } = await app.call('POST', '/api/v1/messages/send', { key: account.key, body });
    assert.deepEqual([status, answer.data.message.status], [201, 'queued']);
  });

  it('200 for signed STOP and START callbacks, and other texts change nothing', async () => {
    const to = '+15559990002';
    await buildSent(app.deps.db, account.workspaceId, { to });
    const say = async (text: string, sign = (body: string) => signSandboxCallback(app.deps.config.secretKey, body)) => {
      const inbound = [{ id: uuidv7(), channel: 'sms', from: to, to: '+15550000000', text, occurred_at: new Date().toISOString() }];
      const body = JSON.stringify({ inbound });
      const { status } = await app.call('POST', '/callbacks/sandbox', { body, headers: sign(body) });
      return [status, ...(await listed()).map(({ recipient, source }) => `${recipient} ${source}`)];
    };
    assert.deepEqual(await say('please stop by'), [200]);
    assert.deepEqual(await say('STOP', () => ({ 'X-Sandbox-Timestamp': '1', 'X-Sandbox-Signature': 'x' })), [403]);
    assert.deepEqual(await say('Stop.'), [200, `${to} inbound`]);
    assert.deepEqual(await say('start'), [200]);
  });
});

describe('one-click unsubscription', () => {
  const app = useApi();
  const email = { to: 'ada@example.com', channel: 'email', content: { text: 'x', unsubscribe: true } } as const;

  it('a mail has both headers of one-click unsubscription on request, and their link unsubscribes', async () => {
    const { key, jwt } = await app.account();
    const { status, body } = await app.call('POST', '/api/v1/messages/send', { key, body: email });
    assert.deepEqual([status, body.data.message.content], [201, email.content]);
    const [claim] = await claimAll(app.deps.db, body.data.message.id, sandboxEverywhere);
    assert.ok(claim);
    let sent: OutgoingMessage | undefined;
    const provider = stubProvider((message) => {
      sent = message;
      return { outcome: 'accepted', provider_message_id: 'p' };
    });
    await withUnsubscribe(provider, { secretKey: app.deps.config.secretKey, publicUrl: app.url }).send(claim, AbortSignal.timeout(5000));
    assert.equal(sent?.headers?.['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click');
    const link = sent?.headers?.['List-Unsubscribe']?.slice(1, -1) ?? '';
    const entries = async () => (await app.call('GET', '/api/v1/suppressions', { jwt })).body.data.suppressions;

    const looked = await app.call('GET', link.slice(app.url.length));
    assert.deepEqual([looked.status, await entries()], [200, []], 'a GET changes nothing');
    const form = { body: 'List-Unsubscribe=One-Click', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };
    for (let time = 1; time <= 2; time += 1) assert.equal((await app.call('POST', link.slice(app.url.length), form)).status, 200);
    const [entry, ...more] = await entries();
    assert.deepEqual(
      [entry.recipient, entry.reason, entry.source, entry.message_id, more.length],
      ['ada@example.com', 'opt_out', 'unsubscribe', claim.id, 0],
    );
  });

  it('content.unsubscribe is stored for e-mails only, also for those of a bulk send', async () => {
    const { key } = await app.account();
    const texts = [
      { ...email, content: { text: 'x' } },
      { to: '+15551234567', channel: 'sms', content: { text: 'x', unsubscribe: true } },
    ];
    for (const body of texts) {
      const { data } = (await app.call('POST', '/api/v1/messages/send', { key, body })).body;
      assert.deepEqual(data.message.content, { text: 'x' });
    }
    const bulk = { channel: 'email', content: email.content, recipients: ['a@example.com'] };
    const { batch } = (await app.call('POST', '/api/v1/messages/bulk', { key, body: bulk })).body.data;
    const { messages } = (await app.call('GET', `/api/v1/messages?batch_id=${batch.id}`, { key })).body.data;
    assert.deepEqual(messages[0].content, email.content, 'a bulk mail keeps it');
  });

  it('404 for a link of unsubscription that is forged, and for that of a deleted message', async () => {
    for (const token of [
      'x',
      `${uuidv7()}.x`,
      unsubscribeToken('x'.repeat(32), uuidv7()),
      unsubscribeToken(app.deps.config.secretKey, uuidv7()),
    ]) {
      assert.equal((await app.call('POST', `/unsubscribe/${token}`)).status, 404);
    }
    assert.equal((await app.call('GET', '/unsubscribe/x')).status, 404);
  });
});
