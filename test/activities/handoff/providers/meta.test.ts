import assert from 'node:assert/strict';
import { metaAdapter } from '../../../../activities/handoff/providers/meta.js';
import type { TemplateButton, TemplateHeader, WhatsappTemplate } from '../../../../models/rules/messages/whatsapp-template.js';
import { drop, reply } from '../../../support/carriers/counterpart.js';
import { type MetaCounterpart, metaAccount, refuse, startMeta } from '../../../support/carriers/meta.js';
import { never, outgoing } from '../../../support/carriers/outgoing.js';

describe('the Meta provider', () => {
  let counterpart: MetaCounterpart;
  beforeEach(async () => {
    counterpart = await startMeta();
  });
  afterEach(() => counterpart.close());
  const adapter = (given: { accessToken?: string; phoneNumberId?: string } = {}) =>
    metaAdapter({ name: 'meta', kind: 'meta', apiBase: counterpart.url, ...metaAccount, ...given });
  const whatsapp = (content: Parameters<typeof outgoing>[0] = {}) => outgoing({ channel: 'whatsapp', ...content });
  const refused = async (status: number, code: number) => {
    counterpart.interfere = (response) => refuse(response, status, code);
    return adapter().send(whatsapp(), never);
  };

  it('the Meta provider sends free text with our id', async () => {
    const message = whatsapp({ content: { text: 'Grüße 😀' } });
    const outcome = await adapter().send(message, never);
    const [taken] = counterpart.taken;
    assert.deepEqual(outcome, { outcome: 'accepted', provider_message_id: taken?.id });
    assert.deepEqual(
      [taken?.message.to, taken?.message.text?.body, taken?.message.biz_opaque_callback_data],
      [message.to, 'Grüße 😀', message.id],
    );
  });

  it('the Meta provider sends a template with numbered, named or no variables', async () => {
    const componentsFor = async (variables?: Record<string, string>) => {
      const template = { name: 'order_update', language: 'en_US', ...(variables === undefined ? {} : { variables }) };
      const outcome = await adapter().send(whatsapp({ content: { text: 'x', template } }), never);
      assert.equal(outcome.outcome, 'accepted');
      const sent = counterpart.taken.at(-1)?.message;
      assert.deepEqual([sent?.type, sent?.template?.name, sent?.template?.language.code], ['template', 'order_update', 'en_US']);
      return sent?.template?.components;
    };
    const text = (value: string) => ({ type: 'text', text: value });
    assert.deepEqual(await componentsFor({ 10: 'c', 2: 'b', 1: 'a' }), [{ type: 'body', parameters: [text('a'), text('b'), text('c')] }]);
    assert.deepEqual(await componentsFor({ first_name: 'Ada' }), [
      { type: 'body', parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Ada' }] },
    ]);
    assert.equal(await componentsFor(), undefined);
  });

  const link = 'https://files.example.com/1042';
  const componentsWith = async (parts: Partial<WhatsappTemplate>) => {
    const template = { name: 'invoice', language: 'en_US', ...parts };
    assert.equal((await adapter().send(whatsapp({ content: { text: 'x', template } }), never)).outcome, 'accepted');
    return counterpart.taken.at(-1)?.message.template?.components;
  };

  it('the Meta provider fills in headers like the official documentation', async () => {
    const headers: [TemplateHeader, object][] = [
      [
        { type: 'text', text: 'Sale' },
        { type: 'text', text: 'Sale' },
      ],
      [
        { type: 'text', text: 'Sale', name: 'what' },
        { type: 'text', parameter_name: 'what', text: 'Sale' },
      ],
      [
        { type: 'image', link },
        { type: 'image', image: { link } },
      ],
      [
        { type: 'video', link },
        { type: 'video', video: { link } },
      ],
      [
        { type: 'document', link },
        { type: 'document', document: { link } },
      ],
      [
        { type: 'document', link, filename: 'a.pdf' },
        { type: 'document', document: { link, filename: 'a.pdf' } },
      ],
    ];
    for (const [header, parameter] of headers) {
      assert.deepEqual(await componentsWith({ header }), [{ type: 'header', parameters: [parameter] }]);
    }
  });

  it('the Meta provider fills in buttons like the official documentation', async () => {
    const buttons: TemplateButton[] = [
      { index: 1, type: 'quick_reply', payload: 'no' },
      { index: 0, type: 'url', suffix: 'invoices/1042' },
    ];
    assert.deepEqual(await componentsWith({ buttons, variables: { 1: 'Ada' }, header: { type: 'image', link } }), [
      { type: 'header', parameters: [{ type: 'image', image: { link } }] },
      { type: 'body', parameters: [{ type: 'text', text: 'Ada' }] },
      { type: 'button', sub_type: 'quick_reply', index: '1', parameters: [{ type: 'payload', payload: 'no' }] },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'invoices/1042' }] },
    ]);
    assert.equal(await componentsWith({ buttons: [] }), undefined);
  });

  it('the Meta provider maps refusals to our codes, also the end of 24 hours', async () => {
    const expected: [code: number, ours: string, isPermanent: boolean][] = [
      [131047, 'outside_window', false],
      [132001, 'invalid_template', true],
      [131026, '30008', false],
      [131050, 'suppressed', true],
      [99999, 'undeliverable', false],
    ];
    for (const [code, ours, isPermanent] of expected) {
      const outcome = await refused(400, code);
      assert.ok(outcome.outcome === 'rejected');
      assert.deepEqual([outcome.error_code, outcome.is_permanent, outcome.provider_error_code], [ours, isPermanent, String(code)]);
    }
  });

  it('the Meta provider does not blame the account when Meta holds back marketing messages to one recipient', async () => {
    assert.deepEqual(
      ['concernsRecipient' in (await refused(400, 131049)), 'concernsRecipient' in (await refused(400, 131042))],
      [true, false],
    );
  });

  it('the Meta provider holds on throttling codes, and retries one recipient without a hold', async () => {
    assert.deepEqual(await refused(429, 130429), { outcome: 'throttled', detail: '130429' });
    assert.deepEqual(await refused(400, 80007), { outcome: 'throttled', detail: '80007' });
    assert.deepEqual(await refused(400, 131056), { outcome: 'retryable', detail: '131056', concernsRecipient: true });
    assert.deepEqual(await adapter({ accessToken: 'wrong' }).send(whatsapp(), never), { outcome: 'retryable', detail: '190' });
  });

  it('the Meta provider retries after a minute while it is restricted for spam', async () => {
    assert.deepEqual(await refused(400, 131048), { outcome: 'retryable', detail: '131048', retryAfterMs: 60_000 });
  });

  it('the Meta provider retries when its phone number is not ours, because no message is at fault', async () => {
    const error = { message: "Unsupported post request. Object with ID '1' does not exist", code: 100, error_subcode: 33 };
    counterpart.interfere = (response) => reply(response, 400, { error });
    assert.deepEqual(await adapter().send(whatsapp(), never), { outcome: 'retryable', detail: 'credentials (100/33)' });
    assert.deepEqual(await refused(400, 33), { outcome: 'retryable', detail: '33' });
    const wrong = await refused(400, 100);
    assert.ok(wrong.outcome === 'rejected' && wrong.error_code === 'invalid_content');
  });

  it('the Meta provider retries without a permission, for which Meta answers 500', async () => {
    assert.deepEqual(await refused(500, 3), { outcome: 'retryable', detail: '3' });
    assert.deepEqual(await refused(500, 190), { outcome: 'retryable', detail: '190' });
  });

  it('the Meta provider returns unknown when it may have accepted the message', async () => {
    assert.equal((await refused(500, 131000)).outcome, 'unknown');
    for (const status of [500, 502, 504]) assert.equal((await refused(status, 1)).outcome, 'unknown');
    for (const code of [2, 131016, 133004]) assert.equal((await refused(500, code)).outcome, 'unknown');
    assert.equal((await refused(503, 1)).outcome, 'retryable');
    counterpart.interfere = (response) => reply(response, 202, {});
    assert.deepEqual(await adapter().send(whatsapp(), never), { outcome: 'unknown', detail: '202' });
    counterpart.interfere = (response) => drop(response);
    assert.equal((await adapter().send(whatsapp(), never)).outcome, 'unknown');
    counterpart.interfere = (response) => reply(response, 200, { messages: [] });
    assert.deepEqual(await adapter().send(whatsapp(), never), { outcome: 'unknown', detail: 'response without an id' });
    assert.equal(adapter().fetchStatus, undefined);
  });
});
