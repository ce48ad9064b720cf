import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { EventWebhook, EventWebhookHeader } from '@sendgrid/eventwebhook';
import { isHardBounce } from '../../../../models/rules/contacts/suppression.js';
import { readSendgridCallback } from '../../../../models/rules/callbacks/sendgrid.js';
import { sendgridAccount, signEvents } from '../../../support/carriers/sendgrid.js';

const account = { name: 'sendgrid', verificationKey: sendgridAccount.verificationKey };
const messageId = '0190a5a8-0000-7000-8000-000000000001';
const at = new Date('2026-01-02T03:04:05Z');
const lowerCase = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const event = (word: string, changes: object = {}) => ({
  email: 'ada@example.org',
  timestamp: 1_767_322_800,
  event: word,
  sg_event_id: 'ZXZlbnQ',
  sg_message_id: 'w4tOkqrUS8CyFHbBTS4RLg.recvd-5645d9c87-7q7jp-1-6613C0D6-3D.0',
  'smtp-id': '<w4tOkqrUS8CyFHbBTS4RLg@geopod-ismtpd-1>',
  message_id: messageId,
  ...changes,
});

/** Reads what was signed, changed afterwards. */
function read(events: unknown, { headers, text }: { headers?: Record<string, string>; text?: string } = {}) {
  const body = JSON.stringify(events);
  return readSendgridCallback(account, { headers: lowerCase(headers ?? signEvents(body, at)), body: Buffer.from(text ?? body), at });
}

describe('the callback of SendGrid', () => {
  it('a callback of SendGrid that the official library verifies is accepted', () => {
    const body = JSON.stringify([event('delivered', { response: '250 Grüße 😀' })]);
    const headers = signEvents(body, at);
    const official = new EventWebhook();
    const key = official.convertPublicKeyToECDSA(account.verificationKey);
    const [signature = '', timestamp = ''] = [EventWebhookHeader.SIGNATURE(), EventWebhookHeader.TIMESTAMP()].map((name) => headers[name]);
    assert.equal(official.verifySignature(key, body, signature, timestamp), true);
    assert.equal(official.verifySignature(key, `${body} `, signature, timestamp), false);
    assert.equal(readSendgridCallback(account, { headers: lowerCase(headers), body: Buffer.from(body), at }).length, 1);
  });

  it('a callback of SendGrid contains several events, and those that are no step of ours are left out', () => {
    const events = read([
      event('processed'),
      event('deferred'),
      event('delivered'),
      event('open'),
      event('bounce', { type: 'bounce', status: '5.1.1', reason: '550 5.1.1 no such user' }),
      event('constructor'),
      null,
      {},
    ]);
    assert.deepEqual(
      events.map((each) => (each.kind === 'report' ? [each.status, each.provider_message_id, each.message_id] : [each.kind])),
      ['sent', 'delivered', 'failed'].map((status) => [status, 'w4tOkqrUS8CyFHbBTS4RLg', messageId]),
    );
    assert.ok(events[0]?.kind === 'report');
    assert.deepEqual(events[0].occurred_at, new Date(1_767_322_800_000));
  });

  it('a callback of SendGrid is refused if its signature is absent, old, or of another body or key', () => {
    const body = JSON.stringify([event('delivered')]);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    for (const headers of [
      {},
      signEvents(`${body} `, at),
      signEvents(body, at, privateKey),
      { ...signEvents(body, at), [EventWebhookHeader.TIMESTAMP()]: '1767323046' },
      { ...signEvents(body, at), [EventWebhookHeader.SIGNATURE()]: 'bm9uc2Vuc2U=' },
      signEvents(body, new Date(at.getTime() - 26 * 3_600_000)),
      signEvents(body, new Date(at.getTime() + 26 * 3_600_000)),
    ]) {
      assert.throws(() => read([event('delivered')], { headers }), { code: 'forbidden' });
    }
    // What was not acknowledged comes again for a day.
    assert.equal(read([event('delivered')], { headers: signEvents(body, new Date(at.getTime() - 20 * 3_600_000)) }).length, 1);
  });

  it('a callback of SendGrid that is signed with the former key is accepted too', () => {
    const body = JSON.stringify([event('delivered')]);
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const verificationKey = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    const request = { headers: lowerCase(signEvents(body, at)), body: Buffer.from(body), at };
    const rotated = { name: 'sendgrid', verificationKey, oldVerificationKey: account.verificationKey };
    assert.equal(readSendgridCallback(rotated, request).length, 1);
    assert.throws(() => readSendgridCallback({ ...rotated, oldVerificationKey: undefined }, request), { code: 'forbidden' });
  });

  it('failures of SendGrid are mapped to our codes', () => {
    const cases: [changes: object, ours: string, isPermanent: boolean, theirs: string][] = [
      [{ event: 'bounce', type: 'bounce', status: '5.1.1' }, '30008', true, '5.1.1'],
      [{ event: 'bounce', type: 'bounce', status: '5.2.2' }, '30006', false, '5.2.2'],
      [{ event: 'bounce', type: 'bounce', status: '' }, '30008', true, 'bounce'],
      [{ event: 'bounce', type: 'bounce', status: '5.7.606' }, '30007', false, '5.7.606'],
      [{ event: 'bounce', type: 'blocked', status: '5.1.1' }, '30007', false, 'blocked'],
      [{ event: 'dropped', reason: 'Bounced Address' }, '30008', true, 'Bounced Address'],
      [{ event: 'dropped', reason: 'Spam Content' }, '30007', false, 'Spam Content'],
      [{ event: 'dropped', reason: 'anything' }, 'undeliverable', false, 'anything'],
    ];
    for (const [changes, ours, isPermanent, theirs] of cases) {
      const [report, ...others] = read([event('', changes)]);
      assert.ok(report?.kind === 'report' && others.length === 0);
      assert.deepEqual([report.error_code, report.is_permanent, report.provider_error_code], [ours, isPermanent, theirs]);
    }
  });

  it('a complaint or an unsubscription at SendGrid is an opt-out, also as the reason for a drop', () => {
    const events = read([
      event('spamreport'),
      event('unsubscribe'),
      event('group_unsubscribe'),
      event('dropped', { reason: 'Spam Reporting Address' }),
      event('dropped', { reason: 'Unsubscribed Address' }),
    ]);
    const optOuts = events.filter((each) => each.kind === 'opt_out');
    const bounces = events.filter((each) => each.kind === 'report' && isHardBounce({ ...each, channel: 'email' }));
    assert.deepEqual(bounces, [], 'the opt-out has an entry of its own');
    assert.deepEqual(
      optOuts.map(({ reason, recipient }) => [reason, recipient]),
      ['complaint', 'unsubscribed', 'unsubscribed', 'complaint', 'unsubscribed'].map((reason) => [reason, 'ada@example.org']),
    );
  });

  it('a recipient who subscribes again at SendGrid ends the opt-out from that message', () => {
    const [optIn] = read([event('group_resubscribe')]);
    assert.ok(optIn?.kind === 'opt_in');
    assert.deepEqual([optIn.recipient, optIn.message_id, optIn.channel], ['ada@example.org', messageId, 'email']);
  });

  it('an event of SendGrid without our id is matched by its Message-ID, also in the old form', () => {
    const idOf = (changes: object) =>
      read([event('delivered', changes)]).flatMap((each) => (each.kind === 'report' ? each.provider_message_id : []));
    assert.deepEqual(idOf({ sg_message_id: undefined }), ['w4tOkqrUS8CyFHbBTS4RLg']);
    assert.deepEqual(idOf({ sg_message_id: '14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0' }), ['14c5d75ce93.dfd.64b469']);
    assert.deepEqual(idOf({ sg_message_id: undefined, 'smtp-id': undefined }), []);
  });

  it('a callback of SendGrid that is not a list gets 400', () => {
    assert.throws(() => read({}), { code: 'validation_failed' });
    const headers = signEvents('[', at);
    assert.throws(() => read([], { headers, text: '[' }), { code: 'validation_failed' });
  });
});
