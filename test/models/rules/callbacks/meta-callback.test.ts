import assert from 'node:assert/strict';
import { answerMetaHandshake, readMetaCallback } from '../../../../models/rules/callbacks/meta.js';
import { keywordOf } from '../../../../models/rules/contacts/keywords.js';
import { metaAccount, notice } from '../../../support/carriers/meta.js';

const account = { name: 'meta', ...metaAccount };
const messageId = '0190a5a8-0000-7000-8000-000000000001';
const at = new Date('2026-01-02T03:04:05Z');

const readBytes = (body: string, signature: string | undefined, accounts = [account]) =>
  readMetaCallback(account, accounts, { headers: { 'x-hub-signature-256': signature }, body: Buffer.from(body), at });
function read(value: object, options: Parameters<typeof notice>[1] = {}) {
  const { body, signature } = notice(value, options);
  return readBytes(body, signature);
}
const status = (word: string, changes: object = {}) => ({
  id: 'wamid.1',
  status: word,
  timestamp: '1767322800',
  recipient_id: '15551234567',
  biz_opaque_callback_data: messageId,
  conversation: { id: 'c1', origin: { type: 'utility' } },
  pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' },
  ...changes,
});

describe('the callback of Meta', () => {
  it('the callback of Meta assigns reports to the accounts of the same app, and to no others', () => {
    const other = { ...account, name: 'second', phoneNumberId: 'another' };
    const accountsNamed = (accounts: (typeof account)[]) => {
      const { body, signature } = notice({ statuses: [status('sent')] }, { sender: 'another' });
      return readBytes(body, signature, accounts).map((event) => 'provider' in event && event.provider);
    };
    assert.deepEqual(accountsNamed([account, other]), ['second']);
    assert.deepEqual(accountsNamed([account, { ...other, appSecret: 'of another app' }]), []);
    assert.deepEqual(accountsNamed([account]), []);
  });

  it('the callback of Meta reads several statuses at once', () => {
    const events = read({ statuses: ['sent', 'delivered', 'read', 'deleted', 'constructor'].map((word) => status(word)) });
    assert.deepEqual(
      events.map((event) => (event.kind === 'report' ? [event.status, event.provider_message_id, event.message_id] : [])),
      ['sent', 'delivered', 'read'].map((word) => [word, 'wamid.1', messageId]),
    );
    assert.ok(events[0]?.kind === 'report');
    assert.deepEqual(events[0].occurred_at, new Date(1_767_322_800_000));
  });

  it('the callback of Meta reads seconds and milliseconds, and uses our clock without a time', () => {
    const timeOf = (timestamp: unknown) => {
      const [event] = read({ statuses: [status('sent', { timestamp })] });
      return event?.kind === 'report' ? event.occurred_at.toISOString() : null;
    };
    const times = ['1767322800', 1_767_322_800, '1767322800123', undefined, 'soon'].map(timeOf);
    const exact = '2026-01-02T03:00:00.000Z';
    assert.deepEqual(times, [exact, exact, '2026-01-02T03:00:00.123Z', at.toISOString(), at.toISOString()]);
  });

  it('a callback of Meta is refused with a missing or wrong signature', () => {
    const { body, signature } = notice({ statuses: [status('delivered', { note: 'Grüße' })] });
    assert.equal(readBytes(body, signature).length, 1);
    for (const wrong of [undefined, '', signature.slice(7), `${signature}0`, notice({}, { secret: 'other' }).signature]) {
      assert.throws(() => readBytes(body, wrong), { code: 'forbidden' });
    }
    // The same JSON in other bytes is another body.
    assert.throws(() => readBytes(body.replaceAll('ü', '\\u00fc'), signature), { code: 'forbidden' });
  });

  it('a callback of Meta is accepted with the former secret of the app too, for all its senders', () => {
    const accounts = [account, { ...account, name: 'second', phoneNumberId: 'another' }].map((each) => ({
      ...each,
      oldAppSecret: 'former',
    }));
    const { body, signature } = notice({ statuses: [status('sent')] }, { secret: 'former', sender: 'another' });
    const request = { headers: { 'x-hub-signature-256': signature }, body: Buffer.from(body), at };
    assert.equal(readMetaCallback(accounts[0] ?? account, accounts, request).length, 1);
    assert.throws(() => readMetaCallback(account, accounts, request), { code: 'forbidden' });
  });

  it('the callback of Meta skips other numbers of the app and other events', () => {
    assert.deepEqual(read({ statuses: [status('sent')] }, { sender: '1' }), []);
    assert.deepEqual(read({ statuses: [status('sent')] }, { field: 'account_update' }), []);
    for (const value of [{}, { statuses: 'x' }, { statuses: [null, {}, status('sent', { id: 7 })], messages: [null, {}] }]) {
      assert.deepEqual(read(value), []);
    }
  });

  it('the callback of Meta maps failures to our codes', () => {
    const failures = [131047, 131026, 131049, 132018, 7, undefined].map((code) => {
      const errors = code === undefined ? undefined : [{ code, title: 'Refused', error_data: { details: 'Refused' } }];
      const [event] = read({ statuses: [status('failed', { errors })] });
      return event?.kind === 'report' ? [event.provider_error_code, event.error_code] : [];
    });
    assert.deepEqual(failures, [
      ['131047', 'outside_window'],
      ['131026', '30008'],
      ['131049', 'limit_exceeded'],
      ['132018', 'invalid_template'],
      ['7', 'undeliverable'],
      [null, 'undeliverable'],
    ]);
    const [, optOut] = read({ statuses: [status('failed', { errors: [{ code: 131050 }] })] });
    assert.ok(optOut?.kind === 'opt_out');
    assert.deepEqual([optOut.recipient, optOut.reason], ['+15551234567', 'unsubscribed']);
  });

  it('the callback of Meta reads incoming texts and buttons, and skips hidden numbers', () => {
    const message = (changes: object) => ({ id: 'wamid.2', from: '15551234567', timestamp: '1767322800', type: 'text', ...changes });
    const events = read({
      messages: [
        message({ text: { body: 'STOP' } }),
        message({ button: { text: 'Stop' } }),
        message({ interactive: { button_reply: { title: 'stop' } } }),
        message({ type: 'image' }),
        message({ from: undefined, text: { body: 'STOP' } }),
      ],
    });
    assert.deepEqual(
      events.map((event) => (event.kind === 'inbound' ? [event.from, event.to, event.text] : [])),
      ['STOP', 'Stop', 'stop', ''].map((text) => ['+15551234567', '+15550783881', text]),
    );
  });
});

describe('opt requests in callbacks of Meta', () => {
  const optRequestOf = (changes: object) => {
    const pressed = { id: 'wamid.2', from: '15551234567', timestamp: '1767322800', type: 'button', ...changes };
    const [event] = read({ messages: [pressed] });
    return event?.kind === 'inbound' ? keywordOf(event.text) : undefined;
  };

  it('a button that opts out is read by its payload or its text, whichever is an opt request', () => {
    assert.equal(optRequestOf({ button: { text: 'Stop promotions', payload: 'Stop promotions' } }), 'stop');
    assert.equal(optRequestOf({ button: { text: 'Keine Nachrichten mehr', payload: 'STOP' } }), 'stop');
    assert.equal(optRequestOf({ button: { text: 'Stop', payload: 'campaign-7' } }), 'stop');
    assert.equal(optRequestOf({ interactive: { button_reply: { id: ' stop ', title: 'Abmelden' } } }), 'stop');
    assert.equal(optRequestOf({ interactive: { button_reply: { id: 'again', title: 'Start' } } }), 'start');
    assert.equal(optRequestOf({ button: { text: 'Yes, please', payload: 'yes' } }), null);
  });

  it('a payload START ends no opt-out, because the workspace writes it', () => {
    for (const payload of ['START', 'UNSTOP']) {
      assert.equal(optRequestOf({ button: { text: 'See my order', payload } }), null, payload);
      assert.equal(optRequestOf({ interactive: { button_reply: { id: payload, title: 'See my order' } } }), null, payload);
    }
  });

  it('a payload other than STOP opts nobody out', () => {
    for (const payload of ['CANCEL', 'END', 'QUIT', 'REVOKE', 'Stop all', 'STOP.']) {
      assert.equal(optRequestOf({ button: { text: 'Cancel my order', payload } }), null, payload);
      assert.equal(optRequestOf({ interactive: { button_reply: { id: payload, title: 'Cancel my order' } } }), null, payload);
    }
  });

  it('the setting for marketing messages is an opt-out or its end, with its time', () => {
    const preference = { wa_id: '16505551234', detail: 'User requested it', category: 'marketing_messages', timestamp: 1_767_322_800 };
    const heard = ['stop', 'resume', 'other'].map((value) => ({ ...preference, value }));
    const others = [{ ...preference, value: 'stop', category: 'other' }, { ...preference, value: 'stop', wa_id: 'hidden' }, null];
    const events = read({ user_preferences: [...heard, ...others] }, { field: 'user_preferences' });
    const source = { provider: 'meta', channel: 'whatsapp', recipient: '+16505551234', message_id: null, provider_message_id: null };
    const occurred_at = new Date(1_767_322_800_000);
    assert.deepEqual(events, [
      { kind: 'opt_out', ...source, reason: 'unsubscribed', occurred_at, raw: JSON.stringify(heard[0]) },
      { kind: 'opt_in', ...source, occurred_at, raw: JSON.stringify(heard[1]) },
    ]);
    assert.deepEqual(read({ user_preferences: heard }, { field: 'user_preferences', sender: '1' }), []);
  });
});

describe('the handshake of Meta', () => {
  const answer = (changes: Record<string, string>) =>
    answerMetaHandshake(
      account,
      new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': account.verifyToken, 'hub.challenge': '1158201444', ...changes }),
    );
  it('the handshake of Meta returns the challenge only with the right token', () => {
    assert.equal(answer({}), '1158201444');
    for (const changes of [{ 'hub.verify_token': 'other' }, { 'hub.verify_token': '' }, { 'hub.mode': 'unsubscribe' }]) {
      assert.equal(answer(changes as Record<string, string>), null);
    }
    assert.equal(answerMetaHandshake(account, new URLSearchParams()), null);
  });
});
