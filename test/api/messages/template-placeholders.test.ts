import assert from 'node:assert/strict';
import { button, link, template, useTemplatePreviews } from './use-template-previews.js';

describe('content.template with placeholders', () => {
  const { app, key, single, bulk } = useTemplatePreviews();

  const padded = (name: string, length: number) => `{{ ${name} | ${'x'.repeat(length)} }}`;
  const filled = {
    ...template,
    variables: { 1: padded('name', 1024) },
    header: { type: 'document', link: '{{ url }}', filename: padded('name', 240) },
    buttons: [
      { index: 0, type: 'url', suffix: padded('name', 2000) },
      { index: 1, type: 'quick_reply', payload: padded('name', 256) },
    ],
  };
  const titled = { ...template, header: { type: 'text', text: padded('name', 60) } };
  const variables = { name: 'Ada', url: link };
  const recipient = { to: '+15551234567', variables };

  it('201 for a template whose texts keep their limits once they are filled in, alone and in a bulk send', async () => {
    for (const given of [filled, titled]) {
      const message = { channel: 'whatsapp', content: { text: 'Hello', template: given } };
      const sent = await app.call('POST', '/api/v1/messages/send', { key: key(), body: { ...message, ...recipient } });
      assert.deepEqual([sent.status, sent.body.error], [201, undefined]);
      assert.equal((await single(given, { variables })).status, 200);
      const batch = await app.call('POST', '/api/v1/messages/bulk', { key: key(), body: { ...message, recipients: [recipient] } });
      assert.deepEqual([batch.status, batch.body.error], [201, undefined]);
      assert.deepEqual((await bulk(given, [recipient])).body.data.messages[0].errors, []);
    }
  });

  for (const [part, name, wrong] of [
    [{ variables: { 1: '{{ name }}' } }, 'x'.repeat(1025), 'variables.1 must be 1 to 1024 characters'],
    [{ header: { type: 'text', text: '{{ name }}' } }, 'x'.repeat(61), 'header.text must be one line of at most 60 characters'],
    [{ header: { type: 'image', link: '{{ name }}' } }, 'file:///a', 'header.link must be an http or https URL of at most 2048 characters'],
    [{ header: { type: 'document', link, filename: '{{ name }}' } }, 'a\nb', 'header.filename must be one line of at most 240 characters'],
    [{ buttons: [{ ...button, suffix: '{{ name }}' }] }, 'a\tb', 'buttons[0].suffix must be one line of at most 2000 characters'],
    [
      { buttons: [{ index: 0, type: 'quick_reply', payload: '{{ name }}' }] },
      'x'.repeat(257),
      'buttons[0].payload must be at most 256 characters',
    ],
  ] as const) {
    it(`400 for a template with a value with which ${wrong}, alone and in a bulk send`, async () => {
      const given = { ...template, ...part };
      const message = `content.template.${wrong}`;
      const alone = await single(given, { variables: { name } });
      assert.deepEqual([alone.status, alone.body.details], [400, [{ field: 'content.template', message }]]);
      const send = { to: '+15551234567', channel: 'whatsapp', content: { text: 'Hello', template: given }, variables: { name } };
      const sent = await app.call('POST', '/api/v1/messages/send', { key: key(), body: send });
      assert.deepEqual([sent.status, sent.body.error], [400, message]);
      const batch = await bulk(given, [{ to: '+15551234567', name }]);
      assert.deepEqual(batch.body.data.messages[0].errors, [{ field: 'recipients[0]', message }]);
    });
  }

  it('400 for a text of a template without placeholders that is too long, beside other faults', async () => {
    const given = { ...template, variables: { 1: 'x'.repeat(1025) }, header: { type: 'text', text: 'x'.repeat(61) } };
    const { status, body } = await single(given, { variables, to: 'x', content: { template: given } });
    const fields = ['to', 'content.text', 'content.template.variables.1', 'content.template.header.text'];
    assert.deepEqual([status, body.details.map(({ field }: { field: string }) => field)], [400, fields]);
  });
});
