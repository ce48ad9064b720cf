import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { people, phone, phones, toPeople } from '../../support/bulk-requests.js';
import { rows } from '../../support/database.js';
import { balanceOf, ledgerOf } from '../../support/rows/messages.js';
import { useApi } from '../use-api.js';
import { prices } from '../../support/prices.js';
import { channels } from '../../../models/channels.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

const path = '/api/v1/messages/bulk';
const crowd = Array.from({ length: 10_000 }, (_item, index): unknown => ({ to: phone(index), name: 'Ann' }));
const crowdWith = (other: Record<number, unknown>) => crowd.map((row, index) => other[index] ?? row);

describe('a bulk send that is refused', () => {
  const app = useApi({ checksBooks: true });
  let key: string;
  let workspaceId: string;
  const open = async (balance = 100_000) => {
    ({ key, workspaceId } = await app.account({ balance }));
  };
  beforeEach(() => open());
  const post = (changes: object = {}) =>
    app.call('POST', path, { key, body: { ...toPeople, ...changes }, headers: { 'Idempotency-Key': 'k' } });
  const assertNothingStored = async (balance = 100_000) => {
    const counts = ['batches', 'messages'].map((table) => `(SELECT count(*) FROM ${table} WHERE workspace_id = $1) AS ${table}`);
    const groups =
      '(SELECT count(*) FROM message_groups g WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.group_id = g.id)) AS empty_groups';
    const found = await rows(app.deps.db, `SELECT ${counts.join(', ')}, ${groups}`, [workspaceId]);
    assert.deepEqual(found, [{ batches: 0, messages: 0, empty_groups: 0 }]);
    assert.deepEqual(await ledgerOf(app.deps.db, workspaceId), [`grant ${balance}`]);
    assert.equal(await balanceOf(app.deps.db, workspaceId), balance);
  };

  it('400 for a bulk send names every fault in the order of the document, and nothing is stored', async () => {
    const { status, body } = await post({
      content: {},
      recipients: [people[0], { to: '5551234', name: 'x' }, { name: 'x' }, 7],
      rate: 0,
      on_invalid: 'ignore',
      allow_duplicates: 'yes',
    });
    assert.equal(status, 400);
    const details = body.details.map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`);
    assert.deepEqual(details, [
      'content.text: Missing required field: content.text',
      'recipients[1].to: Phone number must be in E.164 format',
      'recipients[2].to: Missing required field: recipients[2].to',
      'recipients[3]: recipients[3] must be an object',
      'rate: rate must be more than 0 and at most 10000',
      'on_invalid: Invalid on_invalid. Must be one of: reject, skip',
      'allow_duplicates: allow_duplicates must be a boolean',
    ]);
    await assertNothingStored();
  });
  it('400 for a bulk send names the recipient and the missing variable', async () => {
    const { status, body } = await post({ recipients: [...people, phone(7)] });
    assert.deepEqual([status, body.error], [400, 'Missing required field: recipients[3].variables.name']);
    assert.deepEqual(body.details, [{ field: 'recipients[3].variables.name', message: body.error }]);
    await assertNothingStored();
  });
  const refused: [string, object, string][] = [
    ['no recipients', { recipients: undefined }, 'Missing required field: recipients'],
    ['null recipients', { recipients: null }, 'Missing required field: recipients'],
    ['an empty list', { recipients: [] }, 'recipients must have 1 to 10,000 items'],
    ['a text as recipients', { recipients: phone(0) }, 'recipients must be an array'],
    ['10,001 recipients', { content: { text: 'x' }, recipients: phones(10_001) }, 'recipients must have 1 to 10,000 items'],
    ['voice', { channel: 'voice' }, `Invalid channel. Must be one of: ${channels.join(', ')}`],
    ['no channel', { channel: undefined }, 'Missing required field: channel'],
    ['a bad placeholder', { content: { text: '{{first name}}' } }, 'content.text has an invalid placeholder: {{first name}}'],
    ['a number on e-mail', { channel: 'email' }, 'Invalid email address'],
    ['a rate that is too high', { rate: 10_001 }, 'rate must be more than 0 and at most 10000'],
    ['a rate that is a text', { rate: '5' }, 'rate must be a number'],
    ['a day without a moment', { scheduled_at: '2027-01-01' }, 'Invalid date format'],
    [
      'a moment too far ahead',
      { scheduled_at: new Date(Date.now() + 31 * 86_400_000).toISOString() },
      'scheduled_at must be at most 30 days ahead',
    ],
    ['metadata that is a list', { metadata: [] }, 'metadata must be an object'],
  ];
  for (const [what, changes, text] of refused) {
    it(`400 for a bulk send with ${what}`, async () => {
      const { status, body } = await post(changes);
      assert.deepEqual([status, body.error], [400, text]);
      await assertNothingStored();
    });
  }
  it('413 for a bulk send above 4 MB, and 201 for one of nearly 4 MB', async () => {
    const filler = 'x'.repeat(4 * 1024 * 1024);
    const { status, body } = await post({ unknown: filler });
    assert.deepEqual([status, body.error], [413, 'Request body too large']);
    assert.equal((await post({ unknown: filler.slice(1000) })).status, 201);
  });
  it('400 or 201 for a bulk send of deeply nested JSON, never 500', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const body = (recipient: string) => `{"channel":"sms","content":{"text":"x"},"recipients":[${recipient}]}`;
    const send = (recipient: string) => app.call('POST', path, { key, body: body(recipient), headers: { 'Idempotency-Key': uuidv7() } });
    assert.equal((await send(deep)).status, 400);
    assert.equal((await send(`{"to":"${phone(0)}","metadata":{"a":${deep}}}`)).status, 400);
    assert.equal((await send(`{"to":"${phone(0)}","unknown":${deep},"__proto__":{"to":1},"variables":{"__proto__":"x"}}`)).status, 201);
  });
  it('402 for the whole bulk send with the required credits, and nothing is stored', async () => {
    const price = 3 * prices.sms;
    await open(price - 1);
    const { status, body } = await post();
    assert.deepEqual(
      [status, body.error],
      [402, `Insufficient credits. You need ${toCredits(price)} credits but have ${toCredits(price - 1)}.`],
    );
    await assertNothingStored(price - 1);
    await open(price);
    assert.equal((await post()).status, 201);
    assert.equal(await balanceOf(app.deps.db, workspaceId), 0);
  });

  describe('of 10,000', () => {
    it('400 for a bulk send of 10,000 names the seven invalid rows with index and field, and nothing is stored', async () => {
      await open(20_000_000);
      const recipients = crowdWith({
        0: '5551234',
        17: { to: phone(17) },
        250: 7,
        4_999: { name: 'Ann' },
        5_000: { to: phone(5_000), name: 'Ann', metadata: [] },
        9_998: { to: phone(9_998), name: 'Ann', reference: '' },
        9_999: { to: 'ann@example.com', name: ['Ann'], variables: { name: 'a\0b' } },
      });
      const { status, body } = await post({ recipients });
      assert.equal(status, 400);
      assert.deepEqual(
        body.details.map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`),
        [
          'recipients[0].to: Phone number must be in E.164 format',
          'recipients[0].variables.name: Missing required field: recipients[0].variables.name',
          'recipients[17].variables.name: Missing required field: recipients[17].variables.name',
          'recipients[250]: recipients[250] must be an object',
          'recipients[4999].to: Missing required field: recipients[4999].to',
          'recipients[5000].metadata: recipients[5000].metadata must be an object',
          'recipients[9998].reference: recipients[9998].reference must be 1 to 255 characters',
          'recipients[9999].to: Phone number must be in E.164 format',
          'recipients[9999].variables.name: recipients[9999].variables.name must be valid text',
        ],
      );
      await assertNothingStored(20_000_000);
    });

    it('402 for a bulk send of 10,000 whose last row the credits do not cover, and nothing is stored', async () => {
      const balance = 10_000 * prices.sms;
      await open(balance);
      const recipients = crowdWith({ 9_999: { to: phone(9_999), name: 'x'.repeat(158) } });
      const { status, body } = await post({ recipients });
      assert.deepEqual(
        [status, body.error],
        [402, `Insufficient credits. You need ${toCredits(balance + prices.sms)} credits but have ${toCredits(balance)}.`],
      );
      await assertNothingStored(balance);
    });

    it('a refused bulk send keeps its idempotency key free', async () => {
      await open(prices.sms);
      assert.deepEqual([(await post({ recipients: crowd })).status, (await post({ recipients: crowd.slice(0, 1) })).status], [402, 201]);
    });
  });
});
