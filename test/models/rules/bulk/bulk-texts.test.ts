import assert from 'node:assert/strict';
import { planBulk } from '../../../../models/rules/bulk/bulk.js';
import { previewBulk } from '../../../../models/rules/bulk/bulk-preview.js';
import type { BulkRequest } from '../../../../models/rules/bulk/bulk-templates.js';
import { bulk, faultsOf, messagesOf, phone } from '../../../support/bulk-requests.js';

const textsOfFaults = async (request: BulkRequest) => (await faultsOf(request)).map(({ field, message }) => `${field}: ${message}`);
const missing = (field: string) => `${field}: Missing required field: ${field}`;

describe('e-mails in bulk', () => {
  const mail = (changes: Partial<BulkRequest['content']>, recipient: object = {}) =>
    bulk({ channel: 'email', content: { text: 'x', ...changes }, recipients: [{ to: 'a@b.co', ...recipient }] });

  it('e-mails in bulk need the variables of subject and html too, each once', async () => {
    assert.deepEqual(await textsOfFaults(mail({ subject: '{{a}}' })), [missing('recipients[0].variables.a')]);
    assert.deepEqual(await textsOfFaults(mail({ html: '{{a}}' })), [missing('recipients[0].variables.a')]);
    assert.deepEqual(await textsOfFaults(mail({ text: '{{b}}', subject: '{{a}}{{b}}', html: '{{a}}' })), [
      missing('recipients[0].variables.b'),
      missing('recipients[0].variables.a'),
    ]);
  });

  it('a fault names the text of an e-mail with an invalid placeholder', async () => {
    assert.deepEqual(await textsOfFaults(mail({ subject: '{{a b}}', html: '{{c d}}' })), [
      'content.subject: content.subject has an invalid placeholder: {{a b}}',
      'content.html: content.html has an invalid placeholder: {{c d}}',
    ]);
  });

  it('e-mails in bulk have the headers of unsubscription only if that is asked for', async () => {
    const [wanted] = await messagesOf(mail({ unsubscribe: true }));
    assert.deepEqual(wanted?.content, { text: 'x', unsubscribe: true });
    for (const unsubscribe of [false, undefined]) {
      const [message] = await messagesOf(mail(unsubscribe === undefined ? {} : { unsubscribe }));
      assert.deepEqual(message?.content, { text: 'x' });
    }
    assert.deepEqual((await messagesOf(bulk({ content: { text: 'x', unsubscribe: true } })))[0]?.content, { text: 'x' }, 'not on sms');
  });

  it('e-mails in bulk are limited with the literal html, and with one that becomes too long', async () => {
    const tooLong = 'content.text and content.html must be at most 90 kB together';
    assert.deepEqual(await textsOfFaults(mail({ html: 'x'.repeat(92_160) })), [`content.text: ${tooLong}`]);
    assert.deepEqual(await textsOfFaults(mail({ html: '{{a}}' }, { a: 'x'.repeat(200_000) })), [`recipients[0]: ${tooLong}`]);
  });
});

describe('templates of WhatsApp in bulk', () => {
  const request = (variables: Record<string, string>, recipient: object = {}) =>
    bulk({
      channel: 'whatsapp',
      content: { text: 'x', template: { name: 'order', language: 'en', variables } },
      recipients: [{ to: phone(0), ...recipient }],
    });

  it('a template in bulk is filled in for each recipient', async () => {
    const [message] = await messagesOf(request({ 1: 'Hi {{name}}', 2: 'literal' }, { name: 'Ann' }));
    assert.deepEqual(message?.content.template, { name: 'order', language: 'en', variables: { 1: 'Hi Ann', 2: 'literal' } });
  });

  it('templates in bulk need their variables', async () => {
    assert.deepEqual(await textsOfFaults(request({ 1: '{{name}}' })), [missing('recipients[0].variables.name')]);
  });

  const field = 'content.template.variables.1';
  const wrong = `${field} must be 1 to 1024 characters`;
  it('a template in bulk is refused once for a wrong literal text, and for each recipient with a wrong value', async () => {
    assert.deepEqual(await textsOfFaults(request({ 1: 'x'.repeat(1025), 2: '{{name}}' }, { name: 'Ann' })), [`${field}: ${wrong}`]);
    for (const name of ['', 'x'.repeat(1025), '😀'.repeat(5_000)]) {
      assert.deepEqual(await textsOfFaults(request({ 1: '{{name}}' }, { name })), [`recipients[0]: ${wrong}`]);
    }
    assert.deepEqual(await textsOfFaults(request({ 1: '{{name}}' }, { name: '😀'.repeat(1024) })), []);
    assert.deepEqual(await textsOfFaults(request({ 1: `${'x'.repeat(1025)}{{name|}}` })), [`recipients[0]: ${wrong}`]);
  });

  it('a template in bulk is refused once with an invalid placeholder', async () => {
    assert.deepEqual(await textsOfFaults(request({ 1: '{{a b}}' })), [`${field}: ${field} has an invalid placeholder: {{a b}}`]);
  });

  it('a template in bulk is left out on other channels than WhatsApp', async () => {
    const { content } = request({ 1: '{{a b}}' });
    assert.deepEqual((await messagesOf(bulk({ content })))[0]?.content, { text: 'x' });
    assert.deepEqual(await faultsOf(bulk({ content })), []);
  });

  it('a template in bulk is optional: a plain text is sent without one', async () => {
    assert.deepEqual((await messagesOf(bulk({ channel: 'whatsapp' })))[0]?.content, { text: 'Hi Ann' });
  });
});

describe('a bulk send with faults', () => {
  it('a bulk send with faults names a field that is written wrongly, and ignores other unknown fields', async () => {
    const recipients = [{ to: phone(0), name: 'x', metaData: { a: 1 }, anything: { b: 2 }, variable: null }];
    assert.deepEqual(await textsOfFaults(bulk({ recipients })), [
      'recipients[0].metaData: Unknown field: recipients[0].metaData. Did you mean recipients[0].metadata?',
    ]);
  });

  it('a bulk send is never sent with a text that was cut', async () => {
    const named = (length: number) => bulk({ content: { text: '{{name}}' }, recipients: [{ to: phone(0), name: '😀'.repeat(length) }] });
    assert.deepEqual(await textsOfFaults(named(1600)), []);
    assert.deepEqual(await textsOfFaults(named(1601)), ['recipients[0]: content.text must be at most 1600 characters']);
  });

  it('a bulk send with faults checks recipients as far as possible on an unknown channel', async () => {
    const recipients = [{ to: 'anywhere', name: 'x' }, { to: phone(1) }, { to: 5, name: 'x' }, { contact_id: 'a1' }];
    const plan = await planBulk(bulk({ channel: null, recipients }));
    assert.deepEqual([plan.accepted, plan.cost], [[0, 3], 0]);
    assert.deepEqual(
      plan.errors.map(({ field }) => field),
      ['recipients[1].variables.name', 'recipients[2].to'],
    );
  });

  it('a refusal lists at most fifty faults of one recipient, in names that are short and can be shown', async () => {
    const variables = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`v${index}`, []]));
    assert.equal((await faultsOf(bulk({ recipients: [{ to: phone(0), name: 'x', variables }] }))).length, 50);
    const named = async (name: string) =>
      (await faultsOf(bulk({ recipients: [{ to: phone(0), name: 'x', variables: { [name]: [] } }] })))[0];
    assert.equal((await named('x'.repeat(1_000)))?.field.length, 200);
    assert.equal((await named('a\0b'))?.field, 'recipients[0].variables.ab');
  });

  it('the preview of a bulk send is refused when all texts together are too long', async () => {
    const request = bulk({ recipients: [1, 2].map((index) => ({ to: phone(index), name: 'x'.repeat(97) })) });
    assert.equal((await planBulk(request, { unitsMax: 200 })).accepted.length, 2);
    await assert.rejects(planBulk(request, { unitsMax: 199 }), { code: 'validation_failed', message: /too much text for one preview/ });
    const huge = bulk({ recipients: Array.from({ length: 6_000 }, (_, index) => ({ to: phone(index), name: 'x'.repeat(4_000) })) });
    await assert.rejects(async () => previewBulk(huge, await planBulk(huge)), { message: /too much text/ });
  });
});
