import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

const path = '/api/v1/messages/bulk';
const tooMany = 'More than 10,000 contacts with this tag can be reached on this channel';
const ada = { name: 'Ada', phone: '+15550000001', email: 'ada@example.com', tags: ['vip'], custom_fields: { order: 7, city: 'Bath' } };
const bob = { name: 'Bob', phone: '+15550000002', tags: ['vip', 'new'], custom_fields: { order: 8, name: 'nobody', list: [1] } };
const eve = { phone: '+15550000003', tags: ['vip'], custom_fields: { order: 9 } };
const mail = { name: 'Mia', email: 'mia@example.com', tags: ['vip'] };

describe('a bulk send to contacts', () => {
  const app = useApi({ checksBooks: true });
  let jwt: string;
  let key: string;
  let workspaceId: string;
  beforeEach(async () => {
    ({ jwt, key, workspaceId } = await app.account());
  });
  const create = async (body: object, token = jwt): Promise<string> =>
    (await app.call('POST', '/api/v1/contacts', { jwt: token, body })).body.data.contact.id;
  const change = (id: string, body: object) => app.call('PUT', `/api/v1/contacts/${id}`, { jwt, body });
  const request = (changes: object) => ({ channel: 'sms', content: { text: 'Hi {{name}}, no. {{order}}' }, ...changes });
  const post = (changes: object, headers = {}) => app.call('POST', path, { key, body: request(changes), headers });
  const preview = (changes: object) => app.call('POST', '/api/v1/messages/preview', { key, body: request(changes) });
  const sent = () =>
    rows<{ to: string; text: string }>(
      app.deps.db,
      `SELECT "to", content->>'text' AS text FROM messages WHERE workspace_id = $1 ORDER BY id`,
      [workspaceId],
    );
  const shown = (messages: { to: string; text: string }[]) => messages.map(({ to, text }) => `${to} ${text}`);

  it('a bulk send to contacts fills in names and custom fields where the recipient sets no variable', async () => {
    const [first, second] = [await create(ada), await create(bob)];
    const recipients = [
      { contact_id: first },
      { contact_id: second.toUpperCase(), order: 80 },
      { to: '+15550000009', contact_id: first, variables: { name: 'Zoe', order: 1 } },
    ];
    const { status, body } = await post({ recipients });
    assert.deepEqual([status, body.data.batch.accepted], [201, 3]);
    assert.deepEqual(shown(await sent()), ['+15550000001 Hi Ada, no. 7', '+15550000002 Hi Bob, no. 80', '+15550000009 Hi Zoe, no. 1']);
  });
  it('400 for a bulk send names rows with an unknown, foreign, malformed or unreachable contact', async () => {
    const foreign = await create(ada, (await app.account()).jwt);
    const ids = [await create(mail), foreign, uuidv7(), 'x', 5];
    const recipients = [...ids.map((contact_id) => ({ contact_id, order: 1, name: 'x' })), { contact_id: await create(eve) }];
    const unknown = [1, 2, 3].map((index) => ({ index, field: `recipients[${index}].contact_id`, message: 'Contact not found' }));
    const expected = [
      { index: 0, field: 'recipients[0].contact_id', message: 'Contact has no phone number' },
      ...unknown,
      { index: 4, field: 'recipients[4].contact_id', message: 'recipients[4].contact_id must be a string' },
      { index: 5, field: 'recipients[5].variables.name', message: 'Missing required field: recipients[5].variables.name' },
    ];
    const bare = expected.map(({ field, message }) => ({ field, message }));
    const refused = await post({ recipients: recipients.filter(({ contact_id }) => contact_id !== 5) });
    assert.deepEqual([refused.status, refused.body.details.slice(0, 4)], [400, bare.slice(0, 4)]);
    assert.deepEqual(await sent(), []);

    const good = { to: '+15550000009', name: 'Zoe', order: 1 };
    const skipped = await post({ recipients: [...recipients, good], on_invalid: 'skip' });
    assert.deepEqual([skipped.status, skipped.body.data.batch.invalid, skipped.body.data.batch.errors], [201, 6, expected]);
    assert.deepEqual(shown(await sent()), ['+15550000009 Hi Zoe, no. 1']);
    const { messages } = (await preview({ recipients: [...recipients, good] })).body.data;
    assert.deepEqual(
      messages.flatMap(({ errors }: { errors: object[] }) => errors),
      bare,
    );
    assert.equal((await post({ recipients: [{ contact_id: foreign }], on_invalid: 'skip' })).status, 400);
  });
  it('a bulk send to contacts sends once to an address that is named twice', async () => {
    const id = await create(ada);
    const recipients = [{ contact_id: id }, { contact_id: id }, { to: ada.phone, name: 'Zoe', order: 1 }];
    const { batch } = (await post({ recipients })).body.data;
    assert.deepEqual([batch.total, batch.accepted, batch.invalid, batch.credits_used], [3, 1, 0, toCredits(prices.sms)]);
    assert.equal((await post({ recipients, allow_duplicates: true })).body.data.batch.accepted, 3);
  });
  it('a bulk send to contacts sends to the contacts of a tag, as the preview shows', async () => {
    for (const contact of [ada, bob, mail]) await create(contact);
    await create({ ...ada, phone: '+15550000005' }, (await app.account()).jwt);
    await create({ phone: '+15550000006', tags: ['VIP', 'vi'] });
    const previewed = (await preview({ tag: 'vip' })).body.data;
    assert.deepEqual(shown(previewed.messages), ['+15550000001 Hi Ada, no. 7', '+15550000002 Hi Bob, no. 8']);
    const { status, body } = await post({ tag: 'vip', recipients: null });
    const { total, accepted, credits_used } = body.data.batch;
    assert.deepEqual([status, total, accepted, credits_used], [201, 2, 2, previewed.credits]);
    assert.deepEqual(
      await sent(),
      previewed.messages.map(({ to, text }: { to: string; text: string }) => ({ to, text })),
    );
    const mails = (await preview({ channel: 'email', tag: 'vip', content: { text: '{{name}}' } })).body.data;
    assert.deepEqual(shown(mails.messages), ['ada@example.com Ada', 'mia@example.com Mia']);
  });
  it('400 for a bulk send names the faulty contact of a tag, and on_invalid skip sends to the others', async () => {
    await create(ada);
    const nameless = await create(eve);
    const field = `contacts[${nameless}].variables.name`;
    const refused = await post({ tag: 'vip' });
    assert.deepEqual([refused.status, refused.body.details], [400, [{ field, message: `Missing required field: ${field}` }]]);
    const { batch } = (await post({ tag: 'vip', on_invalid: 'skip' })).body.data;
    assert.deepEqual([batch.accepted, batch.invalid, batch.errors[0].field], [1, 1, field]);
  });
  it('400 for a bulk send with an unknown tag, a tag beside recipients, or a tag that is no text', async () => {
    await create(mail);
    const nobody = 'No contact with this tag can be reached on this channel';
    for (const [changes, text] of [
      [{ tag: 'vip' }, nobody],
      [{ tag: 'vip', on_invalid: 'skip' }, nobody],
      [{ tag: 'vip', recipients: ['+15550000001'] }, 'tag cannot be given together with recipients'],
      [{ tag: 5 }, 'tag must be a string'],
      [{ tag: '' }, 'Missing required field: recipients'],
      [{ tag: 'vip', content: { text: '{{first name}}' } }, 'content.text has an invalid placeholder: {{first name}}'],
    ] as const) {
      const { status, body } = await post(changes);
      assert.deepEqual([status, body.error], [400, text]);
    }
    assert.equal((await preview({ tag: 'vip' })).body.error, nobody);
  });
  it('400 for a tag with more than 10,000 reachable contacts', async () => {
    const insert = (count: number, address: string) =>
      app.deps.db.query(
        `INSERT INTO contacts (id, workspace_id, phone, email, tags, custom_fields, created_at, updated_at)
         SELECT gen_random_uuid(), '${workspaceId}', ${address}, ARRAY['all'], '{}', now(), now() FROM generate_series(1, ${count}) AS n`,
      );
    await insert(10_000, `'+1555' || (1000000 + n), NULL`);
    await insert(1, `NULL, 'only@example.com'`);
    const content = { text: 'Hi' };
    assert.deepEqual((await preview({ tag: 'all', content })).body.data.credits, toCredits(10_000 * prices.sms));
    await insert(1, `'+15559999999', NULL`);
    for (const answer of [await post({ tag: 'all', content, on_invalid: 'skip' }), await preview({ tag: 'all', content })]) {
      assert.deepEqual([answer.status, answer.body.details], [400, [{ field: 'tag', message: tooMany }]]);
    }
    assert.deepEqual(await sent(), []);
  });
  it('a bulk send to contacts repeats the first answer, also after the contacts changed', async () => {
    const id = await create(ada);
    const headers = { 'Idempotency-Key': 'k' };
    const first = await post({ recipients: [{ contact_id: id }] }, headers);
    const tagged = await post({ tag: 'vip' }, { 'Idempotency-Key': 't' });
    await change(id, { phone: '+15550000007', name: 'Augusta', tags: [] });
    for (const between of [async () => undefined, () => app.call('DELETE', `/api/v1/contacts/${id}`, { jwt })]) {
      await between();
      const again = await post({ recipients: [{ contact_id: id }] }, headers);
      assert.deepEqual([again.status, again.headers.get('idempotent-replayed'), again.body], [201, 'true', first.body]);
      const taggedAgain = await post({ tag: 'vip' }, { 'Idempotency-Key': 't' });
      assert.deepEqual([taggedAgain.status, taggedAgain.body], [201, tagged.body]);
    }
    assert.equal((await post({ tag: 'new' }, { 'Idempotency-Key': 't' })).body.code, 'idempotency_mismatch');
    assert.equal((await sent()).length, 2);
  });
});
