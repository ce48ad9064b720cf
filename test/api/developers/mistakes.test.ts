import assert from 'node:assert/strict';
import type { Account, Answer } from '../start-app.js';
import { useApi } from '../use-api.js';
import { good, optionsOf } from './mistake.js';
import { mistakes } from './mistakes.js';

/** The answer says what is wrong, where, and how to fix it; and it has the shape of every error. */
function assertHelpful(
  { status, body }: Answer,
  wanted: { status: number; error: string | RegExp; where?: readonly string[]; fix: string | RegExp },
) {
  const { error, message, code, request_id, details = [], hints = [] } = body;
  assert.equal(status, wanted.status, JSON.stringify(body));
  if (typeof wanted.error === 'string') assert.equal(error, wanted.error);
  else assert.match(error, wanted.error);
  assert.deepEqual([message, typeof code, typeof request_id], [error, 'string', 'string']);
  for (const detail of details) assert.deepEqual(Object.keys(detail), ['field', 'message']);
  assert.deepEqual(
    details.map(({ field }: { field: string }) => field),
    wanted.where ?? [],
  );
  const said = [error, ...details.map((detail: { message: string }) => detail.message), ...hints].join('\n');
  if (typeof wanted.fix === 'string') assert.ok(said.includes(wanted.fix), said);
  else assert.match(said, wanted.fix);
}

describe('47 mistakes of newcomers', () => {
  const app = useApi({ env: { RATE_LIMIT_API: '1000/60' } });
  let account: Account;
  before(async () => {
    account = await app.account();
  });

  it('the table has 45 mistakes of newcomers, and two more have tests of their own', () => assert.equal(mistakes.length, 45));

  for (const mistake of mistakes) {
    it(`${mistake.status} for ${mistake.what}, with what to do`, async () => {
      const [method = '', path = ''] = mistake.to.split(' ');
      assertHelpful(await app.call(method, path, optionsOf(mistake, account)), mistake);
    });
  }

  it('422 for an idempotency key that another message had, with what to do', async () => {
    const send = (text: string) =>
      app.call('POST', '/api/v1/messages/send', {
        key: account.key,
        headers: { 'Idempotency-Key': 'order-1042' },
        body: { ...good, content: { text } },
      });
    assert.equal((await send('Hello')).status, 201);
    const error = 'Idempotency key was used with a different request';
    assertHelpful(await send('Hello again'), { status: 422, error, fix: 'use a new Idempotency-Key' });
  });

  it('402 for more credits than there are, with what to do', async () => {
    const { key } = await app.account({ balance: 500 });
    const answer = await app.call('POST', '/api/v1/messages/send', { key, body: good });
    const error = 'Insufficient credits. You need 1 credits but have 0.5.';
    assertHelpful(answer, { status: 402, error, fix: 'POST /api/v1/billing/checkout' });
  });

  it('no mistake of a newcomer leaves a message behind', async () => {
    const { body } = await app.call('GET', '/api/v1/messages', { key: account.key });
    assert.deepEqual(
      body.data.messages.map(({ reference, content }: { reference: null; content: object }) => [reference, content]),
      [[null, { text: 'Hello' }]],
      'the one with the idempotency key',
    );
  });
});
