import assert from 'node:assert/strict';
import { rows } from '../support/database.js';
import { balanceOf, ledgerOf } from '../support/messages.js';
import { startApp, type TestApp } from './start-app.js';

const phone = (index: number) => `+1555${String(1_000_000 + index)}`;
const crowd = Array.from({ length: 10_000 }, (_item, index): unknown => ({ to: phone(index), name: 'Ann' }));
const crowdWith = (other: Record<number, unknown>) => crowd.map((row, index) => other[index] ?? row);

describe('a bulk send of 10,000 that is refused', () => {
  let app: TestApp;
  let key: string;
  let workspaceId: string;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());
  const open = async (balance: number) => {
    ({ key, workspaceId } = await app.account({ balance }));
  };
  const post = (recipients: unknown[]) =>
    app.call('POST', '/api/v1/messages/bulk', {
      key,
      body: { channel: 'sms', content: { text: 'Hi {{name}}' }, recipients },
      headers: { 'Idempotency-Key': 'k' },
    });
  const assertNothing = async (balance: number) => {
    const counts = ['batches', 'messages', 'message_groups'].map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
    assert.deepEqual(await rows(app.deps.db, `SELECT ${counts.join(', ')}`), [{ batches: 0, messages: 0, message_groups: 0 }]);
    assert.deepEqual(await ledgerOf(app.deps.db, workspaceId), [`grant ${balance}`]);
    assert.equal(await balanceOf(app.deps.db, workspaceId), balance);
  };

  it('400 names the seven bad rows with index and field, and leaves nothing behind', async () => {
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
    const { status, body } = await post(recipients);
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
        'recipients[9999].variables.name: Missing required field: recipients[9999].variables.name',
      ],
    );
    await assertNothing(20_000_000);
  });

  it('402 where the credits do for all but the last row, and leaves nothing behind', async () => {
    await open(10_000_000);
    const recipients = crowdWith({ 9_999: { to: phone(9_999), name: 'x'.repeat(158) } });
    const { status, body } = await post(recipients);
    assert.deepEqual([status, body.error], [402, 'Insufficient credits. You need 10001 credits but have 10000.']);
    await assertNothing(10_000_000);
  });

  it('does not use up its idempotency key', async () => {
    await open(1_000);
    assert.deepEqual([(await post(crowd)).status, (await post(crowd.slice(0, 1))).status], [402, 201]);
  });
});
