import assert from 'node:assert/strict';
import { twilioAdapter } from '../../../../activities/handoff/providers/twilio.js';
import { never as signal, outgoing } from '../../../support/carriers/outgoing.js';
import { officialClient, refuse, startTwilio, twilioAccount, type TwilioCounterpart } from '../../../support/carriers/twilio.js';

describe('the Twilio provider', () => {
  let counterpart: TwilioCounterpart;
  beforeEach(async () => {
    counterpart = await startTwilio();
  });
  afterEach(() => counterpart.close());
  const adapter = ({ from = twilioAccount.from, ...given }: { authToken?: string; from?: string; apiBase?: string } = {}) =>
    twilioAdapter(
      {
        name: 'twilio',
        kind: 'twilio',
        apiBase: counterpart.url,
        accountSid: twilioAccount.sid,
        authToken: twilioAccount.token,
        senders: { sms: from, whatsapp: twilioAccount.whatsappFrom },
        ...given,
      },
      'https://tidings.example/callbacks/twilio',
    );
  const refused = async (status: number, code: number, headers: Record<string, string> = {}) => {
    counterpart.interfere = (response) => refuse(response, status, code, headers);
    return adapter().send(outgoing(), signal);
  };

  it('the Twilio provider sends the same request as the official client', async () => {
    const official = officialClient(counterpart);
    const message = outgoing({ content: { text: 'Grüße & = +' } });
    const theirs = await official.messages.create({
      to: message.to,
      from: twilioAccount.from,
      body: message.content.text,
      statusCallback: `https://tidings.example/callbacks/twilio?message_id=${message.id}#rc=5&rp=ct,rt,5xx`,
    });
    const ours = await adapter().send(message, signal);
    const [first, second] = counterpart.taken;
    assert.deepEqual(second?.form, first?.form);
    assert.equal(theirs.sid, first?.sid);
    assert.deepEqual(ours, { outcome: 'accepted', provider_message_id: second?.sid });
    assert.equal((await official.messages(second?.sid ?? '').fetch()).body, message.content.text);
    await assert.rejects(official.messages.create({ to: message.to, from: twilioAccount.from }), { code: 21602, status: 400 });
  });

  it('the Twilio provider sends WhatsApp texts and templates like the official client', async () => {
    const official = officialClient(counterpart);
    const contentSid = `HX${'1'.repeat(32)}`;
    const template = { name: contentSid, language: 'en', variables: { 1: 'Ada' } };
    const message = outgoing({ channel: 'whatsapp' });
    const common = {
      to: `whatsapp:${message.to}`,
      from: `whatsapp:${twilioAccount.whatsappFrom}`,
      statusCallback: `https://tidings.example/callbacks/twilio?message_id=${message.id}#rc=5&rp=ct,rt,5xx`,
    };
    await official.messages.create({ ...common, body: message.content.text });
    await adapter().send(message, signal);
    await official.messages.create({ ...common, contentSid, contentVariables: JSON.stringify({ 1: 'Ada' }) });
    await adapter().send({ ...message, content: { text: 'Hello', template } }, signal);
    const [text, ourText, content, ourContent] = counterpart.taken.map(({ form }) => form);
    assert.deepEqual([ourText, ourContent], [text, content]);
    const unknown = await adapter().send({ ...message, content: { text: 'Hello', template: { name: 'order', language: 'en' } } }, signal);
    assert.ok(unknown.outcome === 'rejected' && unknown.error_code === 'invalid_template');
  });

  it('the Twilio provider refuses separate header and button values without a call', async () => {
    const template = { name: `HX${'1'.repeat(32)}`, language: 'en' };
    const send = (parts: object) =>
      adapter().send(outgoing({ channel: 'whatsapp', content: { text: 'x', template: { ...template, ...parts } } }), signal);
    for (const parts of [{ header: { type: 'text', text: 'Sale' } }, { buttons: [{ index: 0, type: 'url', suffix: 'a' }] }]) {
      const outcome = await send(parts);
      assert.ok(outcome.outcome === 'rejected' && outcome.error_code === 'invalid_template' && outcome.is_permanent === true);
      assert.equal(outcome.isUncalled, true, 'which says nothing about the health of the account');
    }
    assert.equal(counterpart.calls, 0);
    assert.equal((await send({ buttons: [] })).outcome, 'accepted');
  });

  it('the Twilio provider sends by a messaging service when it is the sender', async () => {
    const from = `MG${'0'.repeat(32)}`;
    await adapter({ from }).send(outgoing(), signal);
    const { MessagingServiceSid, From } = counterpart.taken[0]?.form ?? {};
    assert.deepEqual([MessagingServiceSid, From], [from, undefined]);
  });

  it('the Twilio provider maps refusals to our codes, and keeps its own', async () => {
    const expected: [code: number, ours: string, isPermanent: boolean][] = [
      [21211, '30008', true],
      [21610, 'suppressed', true],
      [21614, '30006', true],
      [21408, 'region_not_permitted', true],
      [21635, '30006', true],
      [63049, 'limit_exceeded', false],
      [99999, 'undeliverable', false],
    ];
    for (const [code, ours, isPermanent] of expected) {
      const outcome = await refused(400, code);
      assert.ok(outcome.outcome === 'rejected');
      assert.deepEqual([outcome.error_code, outcome.is_permanent, outcome.provider_error_code], [ours, isPermanent, String(code)]);
    }
  });

  it('the Twilio provider blames the sender, and says when another recipient could have it', async () => {
    const judged = async (code: number) => {
      const outcome = await refused(400, code);
      return outcome.outcome === 'rejected' && [outcome.error_code, outcome.concernsRecipient === true];
    };
    for (const code of [21212, 21601, 21603, 21607, 21608, 21701, 21705, 21703, 30032])
      assert.deepEqual(await judged(code), ['sender_refused', false], String(code));
    for (const code of [21606, 21659]) assert.deepEqual(await judged(code), ['sender_refused', true], String(code));
    for (const code of [63032, 63049]) assert.deepEqual(await judged(code), ['limit_exceeded', true], String(code));
    for (const code of [30036, 63038]) assert.deepEqual(await judged(code), ['limit_exceeded', false], String(code));
  });

  it('the Twilio provider holds after 429 and its own codes for the given seconds', async () => {
    assert.deepEqual(await refused(429, 20429, { 'Retry-After': '3' }), { outcome: 'throttled', detail: '20429', retryAfterMs: 3000 });
    assert.deepEqual(await refused(400, 21611), { outcome: 'throttled', detail: '21611' });
  });

  it('the Twilio provider retries when the account or the connection is at fault', async () => {
    assert.deepEqual(await adapter({ authToken: 'wrong' }).send(outgoing(), signal), { outcome: 'retryable', detail: 'credentials (401)' });
    assert.deepEqual(await refused(404, 20404), { outcome: 'retryable', detail: 'credentials (404)' });
    assert.deepEqual(await refused(503, 20503), { outcome: 'retryable', detail: '503' });
    assert.deepEqual(await refused(503, 20503, { 'Retry-After': '120' }), { outcome: 'retryable', detail: '503', retryAfterMs: 120_000 });
    assert.deepEqual(await refused(503, 20503, { 'Retry-After': '7200' }), { outcome: 'retryable', detail: '503', retryAfterMs: 900_000 });
    const nowhere = await startTwilio();
    await nowhere.close();
    assert.deepEqual(await adapter({ apiBase: nowhere.url }).send(outgoing(), signal), { outcome: 'retryable', detail: 'ECONNREFUSED' });
  });

  it('the Twilio provider returns unknown for a lost, late or failed answer, and without an id', async () => {
    counterpart.interfere = (response) => response.socket?.destroy() !== undefined;
    assert.equal((await adapter().send(outgoing(), signal)).outcome, 'unknown');
    const deadline = new AbortController();
    counterpart.interfere = () => {
      deadline.abort();
      return true;
    };
    assert.deepEqual(await adapter().send(outgoing(), deadline.signal), { outcome: 'unknown', detail: 'timeout' });
    assert.deepEqual(await refused(500, 20500), { outcome: 'unknown', detail: '500' });
    counterpart.interfere = (response) => response.writeHead(201).end('gone wrong') !== undefined;
    assert.equal((await adapter().send(outgoing(), signal)).outcome, 'unknown');
  });

  it('the Twilio provider returns the status of a finished message, and nothing for others', async () => {
    const provider = adapter();
    await provider.send(outgoing(), signal);
    const [message] = counterpart.taken;
    assert.ok(message);
    assert.equal(await provider.fetchStatus?.(message.sid, signal), null);
    Object.assign(message, { status: 'undelivered', error_code: 30005 });
    const fetched = await provider.fetchStatus?.(message.sid, signal);
    assert.deepEqual(
      [fetched?.status, fetched?.error_code, fetched?.is_permanent, fetched?.provider_error_code],
      ['failed', '30008', true, '30005'],
    );
    assert.equal(await provider.fetchStatus?.('SMnone', signal), null);
    assert.equal(await adapter({ authToken: 'wrong' }).fetchStatus?.(message.sid, signal), null);
  });
});
