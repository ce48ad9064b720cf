import assert from 'node:assert/strict';
import { bulkContactsByTag } from '../../../../models/operations/contacts/find-bulk-contacts.js';
import { createContact } from '../../../../models/operations/contacts/save-contact.js';
import { rows } from '../../../support/database.js';
import { workspaceForEach } from '../../../support/for-each.js';

describe('bulkContactsByTag', () => {
  const test = workspaceForEach({ balance: 0 });

  it('contacts with a tag are found in the requested number, oldest first', async () => {
    const ids: string[] = [];
    for (const digit of [1, 2, 3, 4, 5]) {
      const fields = { name: null, phone: `+1555000000${digit}`, email: null, tags: ['vip'], custom_fields: {} };
      ids.push((await createContact(test.workspaceId, fields)).id);
    }
    const found = await bulkContactsByTag(test.db, test.workspaceId, { tag: 'vip', channel: 'sms', limit: 3 });
    assert.deepEqual([...found.keys()], ids.slice(0, 3));
  });

  it('contacts with a tag are found beyond a page of 500, up to the requested number', async () => {
    const insert = `INSERT INTO contacts (id, workspace_id, phone, tags)
      SELECT gen_random_uuid(), $1, '+1555' || lpad(n::text, 7, '0'), ARRAY['vip'] FROM generate_series(1, 502) AS n`;
    await rows(test.db, insert, [test.workspaceId]);
    const count = async (limit: number) => (await bulkContactsByTag(test.db, test.workspaceId, { tag: 'vip', channel: 'sms', limit })).size;
    assert.deepEqual([await count(501), await count(10_000)], [501, 502]);
  });
});
