import assert from 'node:assert/strict';
import twilio from 'twilio';
import { AppError } from '../../../../models/errors.js';
import { readTwilioCallback } from '../../../../models/rules/callbacks/twilio.js';

const account = { name: 'twilio', authToken: 'auth-token-of-the-tests' };
const messageId = '0198c5b1-0a10-7f3e-8b1d-000000000001';
const address = `https://tidings.example/callbacks/twilio?message_id=${messageId}`;
const at = new Date('2026-11-21T10:00:00Z');

interface Changes {
  url?: string;
  body?: string;
  signature?: string | undefined;
}

/** Reads a callback that the official library has signed, changed afterwards. */
function read(fields: Record<string, string>, changes: Changes = {}) {
  const form = { MessageSid: 'SM1', To: '+15551234567', From: '+15005550100', ...fields };
  const signature = 'signature' in changes ? changes.signature : twilio.getExpectedTwilioSignature(account.authToken, address, form);
  const body = Buffer.from(changes.body ?? new URLSearchParams(form).toString());
  return readTwilioCallback(account, { url: changes.url ?? address, headers: { 'x-twilio-signature': signature }, body, at });
}
const isForbidden = (error: unknown) => error instanceof AppError && error.code === 'forbidden';

describe('the callback of Twilio', () => {
  it('a callback of Twilio with a signature of the official library is accepted, with any characters', () => {
    const fields = { MessageStatus: 'delivered', Body: 'Grüße & = + %20 😀', a: '', Z: '1' };
    const [event] = read(fields);
    assert.ok(event?.kind === 'report');
    const { raw, ...report } = event;
    assert.deepEqual(report, {
      kind: 'report',
      provider: 'twilio',
      provider_message_id: 'SM1',
      message_id: messageId,
      status: 'delivered',
      error_code: null,
      is_permanent: false,
      provider_error_code: null,
      occurred_at: at,
    });
    assert.equal(JSON.parse(raw).Body, fields.Body);
  });

  it('a callback of Twilio with a missing or wrong signature is refused', () => {
    const delivered = { MessageStatus: 'delivered' };
    assert.throws(() => read(delivered, { signature: undefined }), isForbidden);
    assert.throws(() => read(delivered, { signature: twilio.getExpectedTwilioSignature('other', address, delivered) }), isForbidden);
    assert.throws(() => read(delivered, { url: `${address}0` }), isForbidden);
    assert.throws(() => read(delivered, { body: 'MessageSid=SM2&MessageStatus=delivered' }), isForbidden);
  });

  it('a callback with more fields than Twilio sends is refused before its signature is computed', () => {
    const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, '1']));
    assert.equal(read({ MessageStatus: 'delivered', ...numbered(200) }).length, 1);
    assert.throws(() => read({ MessageStatus: 'delivered', ...numbered(300) }), isForbidden);
  });

  it('the signature of Twilio walks through the fields of a form once, with any number of names and tokens', () => {
    const walks = { all: 0, one: 0 };
    const { prototype } = URLSearchParams;
    const { getAll, [Symbol.iterator]: iterate } = prototype;
    prototype.getAll = function counted(name) {
      walks.one += 1;
      return getAll.call(this, name);
    };
    prototype[Symbol.iterator] = function counted() {
      walks.all += 1;
      return iterate.call(this);
    };
    try {
      const body = Array.from({ length: 250 }, (_, index) => `field${index}=1`).join('&');
      const request = { url: address, headers: { 'x-twilio-signature': 'wrong' }, body: Buffer.from(body), at };
      assert.throws(() => readTwilioCallback({ ...account, oldAuthToken: 'former' }, request), isForbidden);
    } finally {
      Object.assign(prototype, { getAll, [Symbol.iterator]: iterate });
    }
    assert.deepEqual(walks, { all: 1, one: 0 });
  });

  it('a name with several values is signed by Twilio with each different value once', () => {
    const form = { MessageSid: 'SM1', MessageStatus: 'sent', Part: ['b', 'a', 'b'] };
    const signature = twilio.getExpectedTwilioSignature(account.authToken, address, form);
    assert.equal(read({}, { body: 'Part=b&MessageSid=SM1&Part=a&MessageStatus=sent&Part=b', signature }).length, 1);
  });

  it('failures of Twilio are mapped to our codes', () => {
    const failures = ['30003', '30005', '30007', '30008', '30010', ''].map((code) => {
      const [event] = read({ MessageStatus: 'undelivered', ...(code === '' ? {} : { ErrorCode: code }) });
      return event?.kind === 'report' ? [event.provider_error_code, event.error_code, event.is_permanent] : [];
    });
    assert.deepEqual(failures, [
      ['30003', '30006', false],
      ['30005', '30008', true],
      ['30007', '30007', false],
      ['30008', 'undeliverable', false],
      ['30010', '30034', false],
      [null, 'undeliverable', false],
    ]);
  });

  it('a failure of Twilio after a STOP to the sender is an opt-out', () => {
    const [report, optOut] = read({ MessageStatus: 'failed', ErrorCode: '21610' });
    assert.ok(report?.kind === 'report' && optOut?.kind === 'opt_out');
    assert.deepEqual([report.error_code, optOut.recipient, optOut.message_id], ['suppressed', '+15551234567', messageId]);
  });

  it('reports of Twilio about WhatsApp are read, also read receipts', () => {
    const whatsapp = { To: 'whatsapp:+15551234567', From: 'whatsapp:+14155238886' };
    const [readReport] = read({ ...whatsapp, MessageStatus: 'read', EventType: 'READ' });
    assert.ok(readReport?.kind === 'report' && readReport.status === 'read');
    const [failed] = read({ ...whatsapp, MessageStatus: 'failed', ErrorCode: '63016' });
    assert.ok(failed?.kind === 'report' && failed.error_code === 'outside_window');
    const [, optOut] = read({ ...whatsapp, MessageStatus: 'failed', ErrorCode: '21610' });
    assert.ok(optOut?.kind === 'opt_out');
    assert.deepEqual([optOut.channel, optOut.recipient], ['whatsapp', '+15551234567']);
  });

  it('incoming texts are read with the opt-out type of Twilio', () => {
    const inbound = { SmsStatus: 'received', From: '+15551234567', To: '+15005550100', Body: 'Stop' };
    const textOf = (fields: Record<string, string>) => {
      const [event] = read(fields);
      return event?.kind === 'inbound' ? [event.channel, event.from, event.to, event.text] : [];
    };
    assert.deepEqual(textOf(inbound), ['sms', '+15551234567', '+15005550100', 'Stop']);
    assert.deepEqual(textOf({ ...inbound, Body: 'ARRÊT', OptOutType: 'STOP' }).at(3), 'STOP');
    const whatsapp = { ...inbound, From: 'whatsapp:+15551234567', To: 'whatsapp:+14155238886' };
    assert.deepEqual(textOf(whatsapp), ['whatsapp', '+15551234567', '+14155238886', 'Stop']);
  });

  it('an incoming text by RCS is from the number of its author', () => {
    const [event] = read({ SmsStatus: 'received', From: 'rcs:+15551234567', To: 'rcs:our_agent', Body: 'Stop' });
    assert.ok(event?.kind === 'inbound');
    assert.deepEqual([event.channel, event.from, event.to], ['sms', '+15551234567', 'our_agent']);
  });

  it('a button of WhatsApp by Twilio is read by its payload too', () => {
    const pressed = { SmsStatus: 'received', From: 'whatsapp:+15551234567', To: 'whatsapp:+14155238886', Body: 'Abmelden' };
    const textOf = (fields: Record<string, string>) => {
      const [event] = read({ ...pressed, ...fields });
      return event?.kind === 'inbound' ? event.text : undefined;
    };
    assert.equal(textOf({ ButtonText: 'Abmelden', ButtonPayload: 'STOP' }), 'STOP');
    assert.equal(textOf({ ButtonPayload: 'campaign-7', Body: 'Stop' }), 'Stop');
    assert.equal(textOf({ ButtonPayload: 'STOP', OptOutType: 'START' }), 'START');
    for (const ButtonPayload of ['START', 'CANCEL']) assert.equal(textOf({ ButtonPayload, Body: 'See my order' }), 'See my order');
  });

  it('a callback of Twilio is accepted with the former token too', () => {
    const form = { MessageSid: 'SM1', MessageStatus: 'sent' };
    const headers = { 'x-twilio-signature': twilio.getExpectedTwilioSignature('former', address, form) };
    const request = { url: address, headers, body: Buffer.from(new URLSearchParams(form).toString()), at };
    assert.equal(readTwilioCallback({ ...account, oldAuthToken: 'former' }, request).length, 1);
    assert.throws(() => readTwilioCallback(account, request), isForbidden);
  });

  it('a callback of Twilio is accepted with and without a port in the signed URL', () => {
    const form = { MessageSid: 'SM1', MessageStatus: 'sent' };
    const isAccepted = (url: string, signed: string) => {
      const signature = twilio.getExpectedTwilioSignature(account.authToken, signed, form);
      const body = Buffer.from(new URLSearchParams(form).toString());
      return readTwilioCallback(account, { url, headers: { 'x-twilio-signature': signature }, body, at }).length === 1;
    };
    for (const [origin, port] of [
      ['https://tidings.example', 8443],
      ['https://tidings.example', 443],
      ['http://tidings.example', 80],
    ] as const) {
      const [without, withPort] = [`${origin}/callbacks/twilio`, `${origin}:${port}/callbacks/twilio`];
      assert.ok(isAccepted(withPort, withPort) && isAccepted(withPort, without) && isAccepted(without, without));
      if (port !== 8443) assert.ok(isAccepted(without, withPort), `the standard port of ${origin}`);
      else assert.throws(() => isAccepted(without, withPort), isForbidden);
    }
  });

  it('a callback of Twilio is accepted with and without the fragment for repetitions in the signed URL', () => {
    const form = { MessageSid: 'SM1', MessageStatus: 'sent', To: '+15551234567', From: '+15005550100' };
    const signedOver = (url: string) => twilio.getExpectedTwilioSignature(account.authToken, url, form);
    for (const url of [address, `${address}#rc=5&rp=ct,rt,5xx`]) assert.equal(read(form, { signature: signedOver(url) }).length, 1);
    assert.throws(() => read(form, { signature: signedOver(`${address}#other`) }), isForbidden);
  });

  it('a status before sent tells only that Twilio has the message', () => {
    for (const MessageStatus of ['accepted', 'scheduled', 'queued', 'sending', 'sent']) {
      const [report] = read({ MessageStatus });
      assert.ok(report?.kind === 'report');
      assert.deepEqual([report.status, report.isOnlyTaken === true, report.message_id], ['sent', MessageStatus !== 'sent', messageId]);
    }
  });

  it('other statuses of Twilio are ignored, and a callback without a message gets 400', () => {
    for (const MessageStatus of ['receiving', 'constructor']) assert.deepEqual(read({ MessageStatus }), []);
    assert.throws(
      () => read({ MessageSid: '', MessageStatus: 'sent' }),
      (error) => error instanceof AppError && error.code === 'validation_failed',
    );
  });
});
