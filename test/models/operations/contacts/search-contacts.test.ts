import assert from 'node:assert/strict';
import { createContact } from '../../../../models/operations/contacts/save-contact.js';
import { searchContacts } from '../../../../models/operations/contacts/search-contacts.js';
import type { ListWindow } from '../../../../models/rules/values/list-window.js';
import { workspaceForEach } from '../../../support/for-each.js';

describe('searchContacts', () => {
  const test = workspaceForEach({ balance: 0 });
  const atOnce = <Result>(read: () => Promise<Result>) => read();
  const search = (window: ListWindow, size: number, turn = atOnce) =>
    searchContacts(test.db, test.workspaceId, { search: 'ada' }, { window, turn, size });

  /** Ten contacts, of which those with an odd number are called Ada. Returns these, newest first. */
  const storeContacts = async () => {
    const found: string[] = [];
    for (let number = 1; number <= 10; number += 1) {
      const fields = { phone: `+155500000${number + 10}`, email: null, tags: [], custom_fields: {} };
      const { id } = await createContact(test.workspaceId, { ...fields, name: number % 2 === 1 ? `Ada ${number}` : null });
      if (number % 2 === 1) found.unshift(id);
    }
    return found;
  };

  for (const size of [1, 2, 3, 5, 10, 11])
    it(`a search finds each contact once by page and by cursor, in parts of ${size}`, async () => {
      const expected = await storeContacts();
      const byPage: string[] = [];
      for (const page of [1, 2, 3, 4]) {
        const { rows: shown, total } = await search({ page, limit: 2 }, size);
        assert.equal(total, 5);
        byPage.push(...shown.map(({ id }) => id));
      }
      const byCursor: string[] = [];
      let listed = await search({ page: 1, limit: 2 }, size);
      for (;;) {
        byCursor.push(...listed.rows.map(({ id }) => id));
        if (listed.next === null) break;
        listed = await search({ after: listed.next, limit: 2 }, size);
        assert.equal(listed.total, null);
      }
      assert.deepEqual({ byPage, byCursor }, { byPage: expected, byCursor: expected });
    });

  it('a search has no next place on the last page, and no rows after it', async () => {
    const [oldest] = (await storeContacts()).slice(-1);
    const last = await search({ page: 3, limit: 2 }, 3);
    assert.deepEqual([last.rows.map(({ id }) => id), last.next], [[oldest], null]);
    assert.deepEqual(await search({ page: Number.MAX_SAFE_INTEGER, limit: 100 }, 3), { rows: [], total: 5, next: null });
  });

  it('a search takes a turn for each part, and after a cursor only until its page is full', async () => {
    const found = await storeContacts();
    let turns = 0;
    const counted = <Result>(read: () => Promise<Result>) => {
      turns += 1;
      return read();
    };
    await search({ page: 1, limit: 2 }, 4, counted);
    assert.equal(turns, 3);
    turns = 0;
    await search({ after: [found[0] ?? ''], limit: 1 }, 4, counted);
    assert.equal(turns, 1);
  });

  it('a text longer than a name finds nothing without a read, and the longest name is found', async () => {
    const name = '😀'.repeat(255);
    const { id } = await createContact(test.workspaceId, { name, phone: '+15550000010', email: null, tags: [], custom_fields: {} });
    let turns = 0;
    const find = (search: string, window: ListWindow) => {
      const turn = <Result>(read: () => Promise<Result>) => {
        turns += 1;
        return read();
      };
      return searchContacts(test.db, test.workspaceId, { search }, { window, turn });
    };
    assert.deepEqual(await find('a'.repeat(256), { page: 1, limit: 2 }), { rows: [], total: 0, next: null });
    assert.deepEqual(await find('a'.repeat(256), { after: [id], limit: 2 }), { rows: [], total: null, next: null });
    assert.equal(turns, 0);
    const { rows, total } = await find(name, { page: 1, limit: 2 });
    assert.deepEqual([rows.map((row) => row.id), total, turns], [[id], 1, 1]);
  });
});
