import assert from 'node:assert/strict';
import { Errors, ServerClient } from 'postmark';
import { postmarkAdapter } from '../../../../activities/handoff/providers/postmark.js';
import { drop, reply } from '../../../support/carriers/counterpart.js';
import { never, outgoingMail } from '../../../support/carriers/outgoing.js';
import { type PostmarkCounterpart, postmarkAccount, refuse, startPostmark } from '../../../support/carriers/postmark.js';

const from = 'Example <hello@example.test>';

describe('the Postmark provider', () => {
  let counterpart: PostmarkCounterpart;
  beforeEach(async () => {
    counterpart = await startPostmark();
  });
  afterEach(() => counterpart.close());
  const adapter = (given: { serverToken?: string; messageStream?: string; from?: string } = {}) =>
    postmarkAdapter({
      name: 'postmark',
      kind: 'postmark',
      apiBase: counterpart.url,
      serverToken: postmarkAccount.token,
      messageStream: 'outbound',
      from,
      callbackPassword: postmarkAccount.password,
      ...given,
    });
  const refused = async (status: number, code: number, headers: Record<string, string> = {}) => {
    counterpart.interfere = (response) => refuse(response, status, code, headers);
    return adapter().send(outgoingMail(), never);
  };

  it('the Postmark provider sends the same request as the official client', async () => {
    const requestHost = counterpart.url.replace('http://', '');
    const official = new ServerClient(postmarkAccount.token, { useHttps: false, requestHost });
    const message = outgoingMail({
      content: { text: 'Grüße', html: '<p>Grüße</p>', subject: 'Für Ada' },
      headers: { 'List-Unsubscribe': '<https://tidings.example/u>' },
    });
    const theirs = await official.sendEmail({
      From: from,
      To: message.to,
      Subject: 'Für Ada',
      TextBody: 'Grüße',
      HtmlBody: '<p>Grüße</p>',
      MessageStream: 'outbound',
      Metadata: { message_id: message.id },
      Headers: [{ Name: 'List-Unsubscribe', Value: '<https://tidings.example/u>' }],
    });
    const ours = await adapter().send(message, never);
    const [first, second] = counterpart.taken;
    assert.deepEqual(second?.mail, first?.mail);
    assert.equal(theirs.MessageID, first?.id);
    assert.deepEqual(ours, { outcome: 'accepted', provider_message_id: second?.id });
    assert.equal((await official.getOutboundMessages({ count: 1, offset: 0 })).Messages.length, 0);
    assert.equal((await official.getOutboundMessageDetails(second?.id ?? '')).TextBody, 'Grüße');
    await assert.rejects(official.sendEmail({ From: from, To: 'nobody', Subject: 'x', TextBody: 'x' }), Errors.InvalidEmailRequestError);
    await assert.rejects(new ServerClient('wrong', { useHttps: false, requestHost }).getOutboundMessages(), Errors.InvalidAPIKeyError);
  });

  it('the Postmark provider does not call an address on its list an opt-out', async () => {
    const outcome = await refused(422, 406);
    assert.ok(outcome.outcome === 'rejected');
    assert.equal(outcome.error_message, "The recipient is on the carrier's suppression list");
  });

  it('the Postmark provider puts the name of a sender in quotes if it needs them', async () => {
    await adapter({ from: 'Söhne Inc. <hello@example.test>' }).send(outgoingMail(), never);
    assert.equal(counterpart.taken.at(-1)?.mail.From, '"Söhne Inc." <hello@example.test>');
  });

  it('the Postmark provider maps refusals to our codes, and keeps its own', async () => {
    const expected: [code: number, ours: string, isPermanent: boolean][] = [
      [300, 'invalid_content', true],
      [401, 'sender_refused', false],
      [405, 'limit_exceeded', false],
      [406, 'suppressed', true],
      [99999, 'undeliverable', false],
    ];
    for (const [code, ours, isPermanent] of expected) {
      const outcome = await refused(422, code);
      assert.ok(outcome.outcome === 'rejected');
      assert.deepEqual([outcome.error_code, outcome.is_permanent, outcome.provider_error_code], [ours, isPermanent, String(code)]);
    }
  });

  it('the Postmark provider blames the recipient for code 300 only if its text names To', async () => {
    const outcomeFor = async (given: { from?: string; to?: string }) => {
      const outcome = await adapter(given).send(outgoingMail(given.to === undefined ? {} : { to: given.to }), never);
      return outcome.outcome === 'rejected' ? [outcome.error_code, outcome.is_permanent, outcome.provider_error_code] : [outcome.outcome];
    };
    assert.deepEqual(await outcomeFor({ to: 'ada..b@example.org' }), ['30008', true, '300']);
    assert.deepEqual(await outcomeFor({ to: 'ada@exa_mple.org' }), ['30008', true, '300']);
    assert.deepEqual(await outcomeFor({ from: 'Example <hello@exa_mple.test>' }), ['sender_refused', false, '300']);
    counterpart.interfere = (response) => refuse(response, 422, 300, {}, "Invalid 'To' address: 'nope'.");
    assert.deepEqual(await outcomeFor({}), ['30008', true, '300']);
  });

  it('the Postmark provider holds or retries when the message is not at fault', async () => {
    assert.deepEqual(await refused(429, 429, { 'Retry-After': '3' }), { outcome: 'throttled', detail: '429', retryAfterMs: 3000 });
    assert.deepEqual(await refused(422, 100), { outcome: 'retryable', detail: '100' });
    assert.deepEqual(await refused(503, 100), { outcome: 'retryable', detail: '100' });
    assert.deepEqual(await refused(503, 100, { 'Retry-After': '9' }), { outcome: 'retryable', detail: '100', retryAfterMs: 9000 });
    assert.deepEqual(await adapter({ serverToken: 'wrong' }).send(outgoingMail(), never), {
      outcome: 'retryable',
      detail: 'credentials (401)',
    });
  });

  it('the Postmark provider finds a message with a lost answer by our id', async () => {
    counterpart.interfere = (response) => drop(response);
    const message = outgoingMail();
    assert.equal((await adapter().send(message, never)).outcome, 'unknown');
    await assert.rejects(async () => adapter().reconcile?.(message, never), { message: 'too early for the search' });
    const old = { ...message, uncertain_ms: 120_000 };
    assert.equal(await adapter().reconcile?.(old, never), undefined);
    counterpart.interfere = () => false;
    await adapter().send(message, never);
    assert.equal(await adapter().reconcile?.(message, never), counterpart.taken[0]?.id);
    await assert.rejects(async () => adapter({ serverToken: 'wrong' }).reconcile?.(old, never), { message: 'no answer' });
  });

  for (const [what, queried, found] of [
    ['without a list', {}, 'no answer'],
    ['with a list that is none', { Messages: { MessageID: 'one' } }, 'no answer'],
    ['with null as its list', { Messages: null }, 'no answer'],
    ['that is a list', [{ MessageID: 'one' }], 'no answer'],
    ['with an empty list', { Messages: [] }, undefined],
    ['with an entry without an id', { Messages: [{}] }, undefined],
    ['with null as an entry', { Messages: [null] }, undefined],
    ['with null as an id', { Messages: [{ MessageID: null }] }, undefined],
    ['with an empty id', { Messages: [{ MessageID: '' }] }, undefined],
    ['with a number as an id', { Messages: [{ MessageID: 7 }] }, undefined],
  ] as const) {
    it(`the Postmark provider never sends again after an answer ${what}`, async () => {
      counterpart.queried = queried;
      const old = { ...outgoingMail(), uncertain_ms: 120_000 };
      assert.equal(
        await adapter()
          .reconcile?.(old, never)
          .catch(({ message }: Error) => message),
        found,
      );
    });
  }

  it('the Postmark provider finds a message with a lost answer in the stream of its account', async () => {
    const message = outgoingMail();
    await adapter({ messageStream: 'news & offers' }).send(message, never);
    assert.equal(await adapter({ messageStream: 'news & offers' }).reconcile?.(message, never), counterpart.taken[0]?.id);
  });

  it('the Postmark provider returns the status of a message', async () => {
    await adapter().send(outgoingMail(), never);
    const [mail] = counterpart.taken;
    assert.ok(mail !== undefined);
    assert.equal(await adapter().fetchStatus?.(mail.id, never), null);
    mail.events.push({ Type: 'Delivered', ReceivedAt: '2026-01-02T03:04:05Z' }, { Type: 'Opened', ReceivedAt: '2026-01-02T03:05:05Z' });
    const delivered = await adapter().fetchStatus?.(mail.id, never);
    assert.deepEqual([delivered?.status, delivered?.occurred_at], ['delivered', new Date('2026-01-02T03:04:05Z')]);
    mail.events.push({ Type: 'Bounced', ReceivedAt: '2026-01-02T03:06:05Z' });
    assert.deepEqual((await adapter().fetchStatus?.(mail.id, never))?.error_code, 'undeliverable');
    assert.equal(await adapter().fetchStatus?.('unknown', never), null);
  });

  it('the Postmark provider leaves out unreadable events, and takes the present time for an unreadable one', async () => {
    const statusAfter = (MessageEvents: unknown) => {
      counterpart.queried = { MessageEvents };
      return adapter().fetchStatus?.('one', never);
    };
    const delivered = { Type: 'Delivered', ReceivedAt: '2026-01-02T03:04:05Z' };
    assert.equal((await statusAfter([null, delivered, null, 'Bounced', ['Bounced'], { Type: ['Bounced'] }]))?.status, 'delivered');
    assert.equal(await statusAfter({ Type: 'Delivered' }), null);
    for (const ReceivedAt of [undefined, null, '', 'soon', {}]) {
      const before = Date.now();
      const occurredAt = (await statusAfter([{ Type: 'Delivered', ReceivedAt }]))?.occurred_at.getTime() ?? 0;
      assert.ok(occurredAt >= before && occurredAt <= Date.now(), `${JSON.stringify(ReceivedAt)}: ${occurredAt}`);
    }
  });

  it('the Postmark provider returns unknown for an unreadable response', async () => {
    counterpart.interfere = (response) => response.writeHead(200).end('<html>') !== undefined;
    assert.deepEqual(await adapter().send(outgoingMail(), never), { outcome: 'unknown', detail: '200' });
    counterpart.interfere = (response) => reply(response, 200, { ErrorCode: 0 });
    assert.equal((await adapter().send(outgoingMail(), never)).outcome, 'unknown');
  });
});
