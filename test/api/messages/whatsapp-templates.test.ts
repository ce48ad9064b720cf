import assert from 'node:assert/strict';
import { button, link, template, useTemplatePreviews } from './use-template-previews.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

describe('content.template', () => {
  const { app, key, preview, single, bulk } = useTemplatePreviews();

  for (const [given, error] of [
    [{}, 'Missing required field: content.template.name'],
    [{ name: 'order_update' }, 'Missing required field: content.template.language'],
    ['order_update', 'content.template must be an object'],
    [{ ...template, name: 'order update' }, 'content.template.name must be 1 to 512 letters, digits or underscores'],
    [{ ...template, language: 'English!' }, 'content.template.language must be a language such as en or en_US'],
    [{ ...template, variables: [] }, 'content.template.variables must be an object'],
    [{ ...template, variables: { 1: 7 } }, 'content.template.variables.1 must be a string'],
    [{ ...template, variables: { 1: '' } }, 'content.template.variables.1 must be 1 to 1024 characters'],
    [{ ...template, variables: { 'a-b': 'x' } }, 'content.template.variables must have names of 1 to 64 letters, digits or underscores'],
    [
      { ...template, variables: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [index + 1, 'x'])) },
      'content.template.variables must have at most 50 entries',
    ],
    [{ ...template, header: 'Sale' }, 'content.template.header must be an object'],
    [{ ...template, header: {} }, 'Missing required field: content.template.header.type'],
    [{ ...template, header: { type: 'gif' } }, 'Invalid type. Must be one of: text, image, video, document'],
    [{ ...template, header: { type: 'text', link } }, 'Missing required field: content.template.header.text'],
    [{ ...template, header: { type: 'text', text: 'x', link } }, 'content.template.header.link is not a field of the type text'],
    [{ ...template, header: { type: 'image', link, text: 'x' } }, 'content.template.header.text is not a field of the type image'],
    [{ ...template, header: { type: 'document', link, name: 'y' } }, 'content.template.header.name is not a field of the type document'],
    [{ ...template, header: { type: 'video', link, filename: 'a' } }, 'content.template.header.filename is not a field of the type video'],
    [{ ...template, buttons: [{ ...button, payload: 'a' }] }, 'content.template.buttons[0].payload is not a field of the type url'],
    [
      { ...template, buttons: [{ index: 0, type: 'quick_reply', payload: 'a', suffix: 'b' }] },
      'content.template.buttons[0].suffix is not a field of the type quick_reply',
    ],
    [
      { ...template, header: { type: 'text', text: 'x'.repeat(61) } },
      'content.template.header.text must be one line of at most 60 characters',
    ],
    [{ ...template, header: { type: 'text', text: 'a\nb' } }, 'content.template.header.text must be one line of at most 60 characters'],
    [
      { ...template, header: { type: 'text', text: 'x', name: 'a-b' } },
      'content.template.header.name must be 1 to 64 letters, digits or underscores',
    ],
    [{ ...template, header: { type: 'image' } }, 'Missing required field: content.template.header.link'],
    [
      { ...template, header: { type: 'video', link: 'file:///a.mp4' } },
      'content.template.header.link must be an http or https URL of at most 2048 characters',
    ],
    [
      { ...template, header: { type: 'document', link, filename: 'x'.repeat(241) } },
      'content.template.header.filename must be one line of at most 240 characters',
    ],
    [{ ...template, buttons: {} }, 'content.template.buttons must be an array'],
    [{ ...template, buttons: [null] }, 'content.template.buttons[0] must be an object'],
    [{ ...template, buttons: Array.from({ length: 30_000 }, () => 0) }, 'content.template.buttons must have at most 10 items'],
    [{ ...template, buttons: [{ type: 'url', suffix: 'a' }] }, 'Missing required field: content.template.buttons[0].index'],
    [
      { ...template, buttons: [{ index: 10, type: 'url', suffix: 'a' }] },
      'content.template.buttons[0].index must be a whole number from 0 to 9',
    ],
    [
      { ...template, buttons: [{ index: 1e308, type: 'url', suffix: 'a' }] },
      'content.template.buttons[0].index must be a whole number from 0 to 9',
    ],
    [{ ...template, buttons: [{ index: 0, type: 'call' }] }, 'Invalid type. Must be one of: url, quick_reply'],
    [{ ...template, buttons: [{ index: 0, type: 'url', payload: 'a' }] }, 'Missing required field: content.template.buttons[0].suffix'],
    [
      { ...template, buttons: [{ index: 0, type: 'quick_reply', payload: 'x'.repeat(257) }] },
      'content.template.buttons[0].payload must be at most 256 characters',
    ],
    [
      { ...template, buttons: [button, { ...button, suffix: 'b' }] },
      'content.template.buttons must have one item for each index, and has two for 0',
    ],
  ] as const) {
    it(`a wrong template gets 400 ${error}`, async () => {
      const { status, body } = await single(given);
      assert.deepEqual([status, body.error], [400, error]);
    });
  }

  it('400 for a template without a text', async () => {
    const { status, body } = await single(template, { content: { template } });
    assert.deepEqual([status, body.error], [400, 'Missing required field: content.text']);
  });

  it('the template of a send is stored only on WhatsApp', async () => {
    const headers = { 'X-API-Key': key() };
    const contentOn = async (channel: string) => {
      const message = { to: '+15551234567', channel, content: { text: 'Hello', template } };
      const { status, body } = await app.call('POST', '/api/v1/messages/send', { body: message, headers });
      assert.equal(status, 201);
      return body.data.message.content;
    };
    assert.deepEqual([await contentOn('whatsapp'), await contentOn('sms')], [{ text: 'Hello', template }, { text: 'Hello' }]);
  });

  it('an emoji in a value of a template counts as one character', async () => {
    const variables = { 1: '😀'.repeat(1024) };
    const body = { to: '+15551234567', channel: 'whatsapp', content: { text: 'Hello', template: { ...template, variables } } };
    const { message } = (await app.call('POST', '/api/v1/messages/send', { key: key(), body })).body.data;
    assert.deepEqual(message.content.template.variables, variables);
    const { body: refused } = await single({ ...template, variables: { 1: `${variables[1]}!` } });
    assert.equal(refused.error, 'content.template.variables.1 must be 1 to 1024 characters');
    const filled = await bulk({ ...template, variables: { 1: '{{ name }}' } }, [{ to: '+15551234567', name: variables[1] }]);
    assert.deepEqual(filled.body.data.messages[0].errors, []);
  });

  it('400 for a bulk send names recipients without the variables of its template', async () => {
    const variables = { 1: 'Hello {{ name }}', 2: '{{ day | today }}' };
    const { body } = await bulk({ ...template, variables }, [{ to: '+15551234567', name: 'Ada' }, '+15551234568']);
    assert.deepEqual(
      body.data.messages.map(({ errors }: { errors: object[] }) => errors),
      [[], [{ field: 'recipients[1].variables.name', message: 'Missing required field: recipients[1].variables.name' }]],
    );
    const malformed = await bulk({ ...template, variables: { 1: '{{ first name }}' } }, ['+15551234567']);
    assert.equal(malformed.body.error, 'content.template.variables.1 has an invalid placeholder: {{ first name }}');
    const long = await bulk({ ...template, variables: { 1: '{{ name }}' } }, [{ to: '+15551234567', name: 'x'.repeat(1025) }]);
    assert.deepEqual(long.body.data.messages[0].errors, [
      { field: 'recipients[0]', message: 'content.template.variables.1 must be 1 to 1024 characters' },
    ]);
  });

  it('the fields of header and buttons that their types have are stored, and others are named as ignored', async () => {
    const header = { type: 'document', link, filename: 'a.pdf' };
    const buttons = [button, { index: 3, type: 'quick_reply', payload: '{{ literally }}' }];
    const given = { ...template, header: { ...header, text: '', name: null }, buttons: buttons.map((each) => ({ title: 'z', ...each })) };
    const body = { to: '+15551234567', channel: 'whatsapp', content: { text: 'Hello', template: given } };
    const { headers, body: answer } = await app.call('POST', '/api/v1/messages/send', { key: key(), body });
    const { message } = answer.data;
    assert.deepEqual(message.content.template, { ...template, header, buttons });
    assert.equal(headers.get('ignored-fields'), 'content.template.buttons[0].title, content.template.buttons[1].title');
    assert.equal(message.credits_used, toCredits(prices.whatsapp));
    assert.equal((await preview(body)).body.data.credits, toCredits(prices.whatsapp));
  });

  it('header and buttons of a bulk send are filled in, and their faults are named', async () => {
    const header = { type: 'image', link: '{{ link }}' };
    const buttons = [{ index: 0, type: 'url', suffix: '{{ name | nobody }}' }];
    const { body } = await bulk({ ...template, header, buttons }, [
      { to: '+15551234567', link },
      { to: '+15551234568', link: 'x' },
      '+15551234569',
      { to: '+15551234560', link, name: 'a\nb' },
    ]);
    assert.deepEqual(
      body.data.messages.map(({ errors }: { errors: object[] }) => errors),
      [
        [],
        [{ field: 'recipients[1]', message: 'content.template.header.link must be an http or https URL of at most 2048 characters' }],
        [{ field: 'recipients[2].variables.link', message: 'Missing required field: recipients[2].variables.link' }],
        [{ field: 'recipients[3]', message: 'content.template.buttons[0].suffix must be one line of at most 2000 characters' }],
      ],
    );
    const foreign = await bulk({ ...template, buttons: [{ ...buttons[0], payload: '{{ name }}' }] }, ['+15551234567']);
    assert.equal(foreign.body.error, 'content.template.buttons[0].payload is not a field of the type url');
    const same = await bulk({ ...template, header: { type: 'image', link: 'x' } }, ['+15551234567', '+15551234568']);
    assert.deepEqual(same.body.details, [
      {
        field: 'content.template.header.link',
        message: 'content.template.header.link must be an http or https URL of at most 2048 characters',
      },
    ]);
  });
});
