import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { rows } from '../../support/database.js';
import type { Answer } from '../start-app.js';
import { useApi } from '../use-api.js';

const good = { name: 'Ada Lovelace', phone: '+15551234567', email: 'Ada@Example.com' };

describe('contact_id in a send', () => {
  const app = useApi();
  let jwt: string;
  let key: string;
  let workspaceId: string;
  beforeEach(async () => {
    ({ jwt, key, workspaceId } = await app.account());
  });
  const path = '/api/v1/contacts';
  const post = (body: unknown, token = jwt) => app.call('POST', path, { jwt: token, body });
  const create = async (body: object) => (await post(body)).body.data.contact;
  const detailsOf = ({ status, body }: Answer) => {
    assert.equal(status, 400);
    return body.details.map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`);
  };
  const send = (body: object, headers = {}) =>
    app.call('POST', '/api/v1/messages/send', { key, body: { content: { text: 'Hello' }, ...body }, headers });

  it('a send to a contact goes to its phone, and on the channel email to its address', async () => {
    const { id } = await create(good);
    for (const [channel, to] of [
      ['sms', good.phone],
      ['whatsapp', good.phone],
      ['email', good.email],
    ]) {
      const { status, body } = await send({ channel, contact_id: id });
      assert.deepEqual([status, body.data.message.to], [201, to]);
    }
    const preview = await app.call('POST', '/api/v1/messages/preview', {
      key,
      body: { channel: 'email', contact_id: id, content: { text: 'x' } },
    });
    assert.equal(preview.body.data.messages[0].to, good.email);
  });
  it('404 for a send to a contact that is foreign, unknown or malformed, and 400 for one out of reach', async () => {
    const foreign = await post({ phone: '+15550000009' }, (await app.account()).jwt);
    for (const contact_id of [foreign.body.data.contact.id, uuidv7(), 'x']) {
      const { status, body } = await send({ channel: 'sms', contact_id });
      assert.deepEqual([status, body.error], [404, 'Contact not found']);
    }
    const { id } = await create({ phone: '+15550000001' });
    const { id: other } = await create({ email: 'a@b.co' });
    assert.deepEqual(detailsOf(await send({ channel: 'email', contact_id: id })), ['contact_id: Contact has no e-mail address']);
    assert.deepEqual(detailsOf(await send({ channel: 'sms', contact_id: other })), ['contact_id: Contact has no phone number']);
    assert.deepEqual(detailsOf(await send({ channel: 'sms', contact_id: id, to: '+15550000001' })), [
      'contact_id: contact_id cannot be given together with to',
    ]);
    assert.deepEqual(detailsOf(await send({ channel: 'sms', contact_id: null })), ['to: Missing required field: to']);
    assert.deepEqual(detailsOf(await send({ channel: 'sms', contact_id: 5 })), ['contact_id: contact_id must be a string']);
    const [{ n } = { n: 0 }] = await rows<{ n: number }>(app.deps.db, 'SELECT count(*) AS n FROM messages WHERE workspace_id = $1', [
      workspaceId,
    ]);
    assert.equal(n, 0);
  });
  it('a repeated send to a contact gets its first answer after the contact was deleted', async () => {
    const { id } = await create(good);
    const headers = { 'Idempotency-Key': 'one' };
    const first = await send({ channel: 'sms', contact_id: id }, headers);
    await app.call('DELETE', `${path}/${id}`, { jwt });
    const second = await send({ channel: 'sms', contact_id: id }, headers);
    assert.deepEqual([second.status, second.body], [201, first.body]);
  });
});
