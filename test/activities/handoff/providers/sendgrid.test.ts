import assert from 'node:assert/strict';
import official from '@sendgrid/mail';
import { sendgridAdapter } from '../../../../activities/handoff/providers/sendgrid.js';
import { drop, reply } from '../../../support/carriers/counterpart.js';
import { never, outgoingMail } from '../../../support/carriers/outgoing.js';
import { refuse, type SendgridCounterpart, sendgridAccount, startSendgrid } from '../../../support/carriers/sendgrid.js';

const from = 'Example <hello@example.test>';

describe('the SendGrid provider', () => {
  let counterpart: SendgridCounterpart;
  beforeEach(async () => {
    counterpart = await startSendgrid();
  });
  afterEach(() => counterpart.close());
  const adapter = (given: { apiKey?: string } = {}) =>
    sendgridAdapter({ name: 'sendgrid', kind: 'sendgrid', apiBase: counterpart.url, from, ...sendgridAccount, ...given });
  const refused = async (status: number, field: string | null, headers: Record<string, string> = {}) => {
    counterpart.interfere = (response) => refuse(response, status, field, headers);
    return adapter().send(outgoingMail(), never);
  };

  it('the SendGrid provider sends the same request as the official client', async () => {
    official.setApiKey(sendgridAccount.apiKey);
    // oxlint-disable-next-line typescript/no-explicit-any -- the library's types leave its client out
    (official as any).client.setDefaultRequest('baseUrl', `${counterpart.url}/`);
    const message = outgoingMail({
      content: { text: 'Grüße', html: '<p>Grüße</p>', subject: 'Für Ada' },
      headers: { 'List-Unsubscribe': '<https://tidings.example/u>' },
    });
    const [theirs] = await official.send({
      personalizations: [{ to: message.to, customArgs: { message_id: message.id } }],
      from,
      subject: 'Für Ada',
      text: 'Grüße',
      html: '<p>Grüße</p>',
      headers: { 'List-Unsubscribe': '<https://tidings.example/u>' },
    });
    const ours = await adapter().send(message, never);
    const [first, second] = counterpart.taken;
    assert.deepEqual(second?.mail, first?.mail);
    assert.deepEqual([theirs.statusCode, theirs.headers['x-message-id']], [202, first?.id]);
    assert.deepEqual(ours, { outcome: 'accepted', provider_message_id: second?.id });
    await assert.rejects(official.send({ to: 'nobody', from, subject: 'x', text: 'x' }), { code: 400 });
  });

  it('the SendGrid provider maps refusals to our codes, and keeps the field', async () => {
    const expected: [status: number, field: string | null, ours: string, theirs: string][] = [
      [400, 'personalizations.0.to.0.email', '30008', 'personalizations.0.to.0.email'],
      [400, 'from.email', 'sender_refused', 'from.email'],
      [403, 'from', 'sender_refused', 'from'],
      [400, 'content.0.value', 'invalid_content', 'content.0.value'],
      [413, null, 'invalid_content', '413'],
    ];
    for (const [status, field, ours, theirs] of expected) {
      const outcome = await refused(status, field);
      assert.ok(outcome.outcome === 'rejected', `${status} ${field}`);
      assert.deepEqual([outcome.error_code, outcome.is_permanent], [ours, true]);
      assert.equal(outcome.provider_error_code, theirs);
    }
  });

  it('the SendGrid provider holds until its limit is reset, or retries, when the message is not at fault', async () => {
    const resetAt = Math.ceil(Date.now() / 1000) + 30;
    const throttled = await refused(429, null, { 'X-RateLimit-Reset': String(resetAt) });
    assert.ok(throttled.outcome === 'throttled' && throttled.retryAfterMs !== undefined);
    assert.ok(throttled.retryAfterMs > 0 && throttled.retryAfterMs <= 31_000);
    assert.deepEqual(await refused(403, null), { outcome: 'retryable', detail: 'credentials (403)' });
    assert.deepEqual(await adapter({ apiKey: 'wrong' }).send(outgoingMail(), never), { outcome: 'retryable', detail: 'credentials (401)' });
    assert.deepEqual(await refused(429, null, { 'Retry-After': '3' }), { outcome: 'throttled', detail: '429', retryAfterMs: 3000 });
    assert.equal((await refused(500, null)).outcome, 'unknown');
  });

  it('the SendGrid provider returns unknown for a lost answer or one without an id', async () => {
    counterpart.interfere = (response) => drop(response);
    assert.equal((await adapter().send(outgoingMail(), never)).outcome, 'unknown');
    counterpart.interfere = (response) => reply(response, 201, null);
    assert.deepEqual(await adapter().send(outgoingMail(), never), { outcome: 'unknown', detail: '201' });
    counterpart.interfere = (response) => reply(response, 202, null);
    assert.deepEqual(await adapter().send(outgoingMail(), never), { outcome: 'unknown', detail: 'response without an id' });
    assert.equal(adapter().reconcile, undefined);
    assert.equal(adapter().fetchStatus, undefined);
  });
});
