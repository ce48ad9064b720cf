import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { rows } from '../../support/database.js';
import type { Answer } from '../start-app.js';
import { useApi } from '../use-api.js';

const path = '/api/v1/contacts';
const good = {
  name: 'Ada Lovelace',
  phone: '+15551234567',
  email: 'Ada@Example.com',
  tags: ['vip', 'math'],
  custom_fields: { since: 1843, nested: { a: [true, null] } },
};

describe('contacts', () => {
  const app = useApi();
  let jwt: string;
  let workspaceId: string;
  beforeEach(async () => {
    ({ jwt, workspaceId } = await app.account());
  });

  const post = (body: unknown, token = jwt) => app.call('POST', path, { jwt: token, body });
  const put = (id: string, body: unknown) => app.call('PUT', `${path}/${id}`, { jwt, body });
  const create = async (body: object) => {
    const answer = await post(body);
    assert.equal(answer.status, 201);
    return answer.body.data.contact;
  };
  const detailsOf = ({ status, body }: Answer) => {
    assert.equal(status, 400);
    return body.details.map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`);
  };
  const count = async () =>
    (await rows<{ n: number }>(app.deps.db, 'SELECT count(*) AS n FROM contacts WHERE workspace_id = $1', [workspaceId]))[0]?.n;

  it('201 for a contact, which has every given field', async () => {
    const { status, body } = await post({ ...good, id: uuidv7(), workspace_id: uuidv7(), created_at: 'x' });
    assert.equal(status, 201);
    const { id, created_at, updated_at, ...rest } = body.data.contact;
    assert.deepEqual(rest, good);
    assert.equal(created_at, updated_at);
    assert.deepEqual((await app.call('GET', `${path}/${id}`, { jwt })).body.data, body.data);
  });

  it('201 for a contact with only a phone or only an address', async () => {
    assert.deepEqual(
      { ...(await create({ phone: '+15550000001', name: ' ' })), id: 0, created_at: 0, updated_at: 0 },
      { id: 0, name: null, phone: '+15550000001', email: null, tags: [], custom_fields: {}, created_at: 0, updated_at: 0 },
    );
    assert.equal((await create({ email: 'a@b.co', phone: null, name: null, tags: null, custom_fields: null })).phone, null);
  });

  it('a contact with an empty name has none', async () => assert.equal((await create({ ...good, name: '' })).name, null));

  it('a contact stores each tag once', async () =>
    assert.deepEqual((await create({ phone: '+15550000001', tags: ['a', 'b', 'a'] })).tags, ['a', 'b']));

  describe('uniqueness', () => {
    it('400 for a contact names a taken phone and a taken address, the address in any case', async () => {
      await create(good);
      const texts = ['phone: Contact with this phone already exists', 'email: Contact with this email already exists'];
      assert.deepEqual(detailsOf(await post({ phone: good.phone })), [texts[0]]);
      assert.deepEqual(detailsOf(await post({ email: 'aDA@eXAMPLE.com' })), [texts[1]]);
      assert.deepEqual(detailsOf(await post(good)), texts);
      assert.equal(await count(), 1);
    });
    it('201 for a contact with a phone of another workspace, or of a deleted contact', async () => {
      const { id } = await create(good);
      assert.equal((await post(good, (await app.account()).jwt)).status, 201);
      assert.equal((await post(good)).status, 400);
      await app.call('DELETE', `${path}/${id}`, { jwt });
      assert.equal((await post(good)).status, 201);
    });
    it('one contact per phone and address after twenty creations and changes at once', async () => {
      const created = await Promise.all(Array.from({ length: 20 }, () => post({ phone: good.phone })));
      assert.deepEqual(
        created.map(({ status }) => status).toSorted((a, b) => a - b),
        [201, ...Array.from({ length: 19 }, () => 400)],
      );
      const others = await Promise.all(['1', '2', '3', '4'].map((digit) => create({ phone: `+1555000000${digit}` })));
      const changed = await Promise.all(others.map(({ id }) => put(id, { email: 'one@example.com' })));
      assert.deepEqual(
        changed.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 400, 400, 400],
      );
    });
  });

  describe('PUT', () => {
    it('200 for a changed contact: given fields change, null ones are cleared, the rest stays', async () => {
      const before = await create(good);
      const { status, body } = await put(before.id, { name: 'Countess', email: null, tags: [] });
      assert.equal(status, 200);
      const { updated_at, ...rest } = body.data.contact;
      const { updated_at: earlier, ...expected } = before;
      assert.deepEqual(rest, { ...expected, name: 'Countess', email: null, tags: [] });
      assert.ok(Date.parse(updated_at) > Date.parse(earlier));
      const cleared = (await put(before.id, { name: null, tags: null, custom_fields: null })).body.data.contact;
      assert.deepEqual([cleared.name, cleared.tags, cleared.custom_fields, cleared.phone], [null, [], {}, good.phone]);
      assert.equal((await put(before.id, {})).status, 200);
      assert.equal((await put(before.id, { phone: good.phone })).status, 200, 'its own phone');
    });
    it('400 for a change that leaves a contact neither phone nor address, also for two changes at once', async () => {
      const { id } = await create(good);
      assert.deepEqual(detailsOf(await put(id, { phone: null, email: null })), ['phone: Missing required field: phone or email']);
      const answers = await Promise.all([put(id, { phone: null }), put(id, { email: null })]);
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 400],
      );
    });
    it('400 for a changed contact with faults, before the 404 for an unknown one, and a refusal changes nothing', async () => {
      assert.equal((await put(uuidv7(), { phone: 'x' })).status, 400);
      assert.equal((await put(uuidv7(), { phone: '+15550000001' })).body.error, 'Contact not found');
      const { id } = await create(good);
      await create({ phone: '+15550000001' });
      assert.equal((await put(id, { name: 'x', phone: '+15550000001' })).status, 400);
      assert.equal((await app.call('GET', `${path}/${id}`, { jwt })).body.data.contact.name, good.name);
    });
  });

  describe('GET', () => {
    const names = async (query: string) => {
      const { status, body } = await app.call('GET', `${path}${query}`, { jwt });
      assert.equal(status, 200);
      return body.data.contacts.map(({ name }: { name: string }) => name);
    };
    beforeEach(async () => {
      await create({ name: 'Ada 100%', phone: '+15551234567', tags: ['vip', 'x,y'] });
      await create({ name: 'Bob_B', email: 'bob@example.com', tags: ['VIP'] });
      await create({ name: 'Carl\\', phone: '+4930123456', email: 'c@example.org', tags: ['vip'] });
    });
    it('contacts are listed in pages, newest first', async () => {
      assert.deepEqual(await names(''), ['Carl\\', 'Bob_B', 'Ada 100%']);
      const { body } = await app.call('GET', `${path}?page=2&limit=2`, { jwt });
      assert.deepEqual(
        [body.data.contacts[0].name, body.data.pagination],
        ['Ada 100%', { total: 3, page: 2, pages: 2, limit: 2, next_cursor: null }],
      );
      assert.equal((await app.call('GET', `${path}?page=0`, { jwt })).body.error, 'Page must be at least 1');
    });
    const searches: [string, string[]][] = [
      ['ADA', ['Ada 100%']],
      ['example', ['Carl\\', 'Bob_B']],
      ['123456', ['Carl\\', 'Ada 100%']],
      ['+1555', ['Ada 100%']],
      ['%2B1555', ['Ada 100%']],
      ['%25', ['Ada 100%']],
      ['_', ['Bob_B']],
      ['%5C', ['Carl\\']],
      ['', ['Carl\\', 'Bob_B', 'Ada 100%']],
      ["'; DROP TABLE contacts; --", []],
    ];
    for (const [search, expected] of searches)
      it(`contacts are searched for ${search}`, async () => assert.deepEqual(await names(`?search=${search}`), expected));
    it('contacts can be filtered by a tag, and by a tag and a search', async () => {
      assert.deepEqual(await names('?tag=vip'), ['Carl\\', 'Ada 100%']);
      assert.deepEqual(await names('?tag=x,y'), ['Ada 100%']);
      assert.deepEqual(await names('?tag=vip&search=ada'), ['Ada 100%']);
      assert.deepEqual(await names('?tag=%22%7B'), []);
      assert.equal((await app.call('GET', `${path}?tag=a&tag=b`, { jwt })).status, 400);
    });
  });

  it('404 alike for a foreign, an unknown, a malformed and a deleted contact', async () => {
    const { id } = await create(good);
    const other = await app.account();
    const ways = [['GET'], ['PUT', {}], ['DELETE']] as const;
    const answer = async (method: string, target: string, token: string, body?: object) =>
      app.call(method, `${path}/${target}`, { jwt: token, ...(body === undefined ? {} : { body }) });
    for (const [method, body] of ways) {
      for (const [target, token] of [
        [id, other.jwt],
        [uuidv7(), jwt],
        ['x', jwt],
      ] as const) {
        const {
          status,
          body: { error },
        } = await answer(method, target, token, body);
        assert.deepEqual([status, error], [404, 'Contact not found']);
      }
    }
    assert.deepEqual((await answer('DELETE', id, jwt)).body.data, { message: 'Contact deleted.' });
    assert.equal((await answer('DELETE', id, jwt)).status, 404);
    assert.equal(await count(), 0);
  });

  it('contacts need a JWT or a key with manage_contacts, and other credentials are refused', async () => {
    const full = await app.account();
    assert.equal((await app.call('POST', path, { key: full.key, body: good })).status, 201);
    const { key } = await app.account({ scopes: ['send_messages'] });
    assert.equal((await app.call('GET', path, { key })).body.error, 'API key does not have required scope: manage_contacts');
    assert.deepEqual((await app.call('GET', path)).body.error, 'Invalid or expired token');
    assert.deepEqual((await app.call('GET', path, { key: 'x' })).body.error, 'Invalid API key');
  });
});
