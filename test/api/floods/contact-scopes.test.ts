import assert from 'node:assert/strict';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const needed = 'API key does not have required scope: manage_contacts';

describe('contacts and a key without their scope', () => {
  const app = useApi();
  let sender: Account;
  let contactId: string;
  before(async () => {
    sender = await app.account({ scopes: ['send_messages', 'read_messages'] });
    const body = { phone: '+15551234567', name: 'Ada', tags: ['vip'] };
    contactId = (await app.call('POST', '/api/v1/contacts', { jwt: sender.jwt, body })).body.data.contact.id;
  });

  const ask = (path: string, body: object) => app.call('POST', `/api/v1/messages/${path}`, { key: sender.key, body });
  const bulk = { channel: 'sms', content: { text: 'Hi {{name}}' } };

  for (const path of ['preview', 'bulk']) {
    it(`${path}: 403 without manage_contacts for a tag and a contact_id, before the body is checked`, async () => {
      for (const whom of [
        { tag: 'vip' },
        { tag: 'vip', to: '+15551234567x' },
        { recipients: ['+15551234568', { contact_id: contactId }] },
      ]) {
        if (path === 'preview' && 'to' in whom) continue; // that is a single message there
        for (const body of [bulk, { content: {} }]) {
          const { status, body: answer } = await ask(path, { ...body, ...whom });
          assert.deepEqual([status, answer.error, answer.code], [403, needed, 'forbidden']);
        }
      }
    });
    it(`${path}: 200 or 201 without manage_contacts for plain phone numbers`, async () => {
      const recipients = [{ to: '+15551234568', name: 'Bob', contact_id: 'a variable' }];
      const { status } = await ask(path, { ...bulk, recipients });
      assert.equal(status, path === 'bulk' ? 201 : 200);
    });
  }

  for (const path of ['preview', 'send']) {
    it(`${path}: 403 without manage_contacts for one message to a contact, whose number the answer would show`, async () => {
      const { status, body } = await ask(path, { channel: 'sms', content: { text: 'Hi' }, contact_id: contactId });
      assert.deepEqual([status, body.error], [403, needed]);
    });
  }
});
