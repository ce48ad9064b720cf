import assert from 'node:assert/strict';
import type { Channel } from '../../../../models/channels.js';
import type { Content } from '../../../../models/rules/messages/content.js';
import { literalPlaceholders, renderContent } from '../../../../models/rules/messages/render-content.js';
import { assertLinear } from '../../../support/measure/cpu-cost.js';

const render = (content: Content, variables: object = {}, channels: Channel[] = ['sms']) => renderContent(content, variables, channels);
const faultsOf = (...args: Parameters<typeof render>) => render(...args).faults.map(({ field, message }) => `${field}: ${message}`);
const approved = (name: string) => ({ name: 'order', language: 'en', variables: { 1: name } });

describe('the content of a single message', () => {
  it('placeholders are filled in, and values in html are escaped', () => {
    const content = { text: 'Hi {{name}}', subject: 'For {{name}}', html: '<b>{{name}}</b>', unsubscribe: true };
    assert.deepEqual(render(content, { name: '<Ann>' }, ['email']), {
      content: { text: 'Hi <Ann>', subject: 'For <Ann>', html: '<b>&lt;Ann&gt;</b>', unsubscribe: true },
      faults: [],
    });
  });

  it('only fields that one of the channels sends are checked', () => {
    const content = { text: 'x', subject: '{{a b}}', html: '{{c}}', template: approved('{{d}}') };
    assert.deepEqual(faultsOf(content, {}, ['sms']), []);
    assert.deepEqual(faultsOf(content, {}, ['sms', 'whatsapp']), ['variables.d: Missing required field: variables.d']);
    assert.deepEqual(faultsOf(content, {}, ['sms', 'email']), [
      'content.subject: content.subject has an invalid placeholder: {{a b}}',
      'variables.c: Missing required field: variables.c',
    ]);
  });

  it('a content without its variables names each missing one once, and stays unchanged', () => {
    const content = { text: '{{a}} {{b}} {{a}} {{c}}' };
    const { faults, content: same } = render(content, { c: 1 });
    assert.deepEqual(
      faults.map(({ field }) => field),
      ['variables.a', 'variables.b'],
    );
    assert.equal(same, content);
  });

  it('a variable that is not a text is refused', () => {
    for (const text of ['{{a|x}}', '{{a}}']) {
      assert.deepEqual(faultsOf({ text }, { a: [] }), ['variables.a: variables.a must be a string']);
    }
  });

  it('a text that becomes empty is refused', () => {
    assert.deepEqual(faultsOf({ text: '{{a}}' }, { a: '' }), ['content.text: Missing required field: content.text']);
  });

  it('a text that becomes longer than a channel allows is refused', () => {
    assert.deepEqual(faultsOf({ text: '{{a}}' }, { a: 'x'.repeat(1601) }), ['content.text: content.text must be at most 1600 characters']);
    assert.deepEqual(faultsOf({ text: '{{a}}' }, { a: 'x'.repeat(5000) }), ['content.text: content.text must be at most 1600 characters']);
    for (const channels of [
      ['sms', 'email'],
      ['email', 'sms'],
    ] as const) {
      const faults = faultsOf({ text: '{{a}}' }, { a: 'x'.repeat(92_161) }, [...channels]);
      assert.deepEqual(faults, ['content.text: content.text and content.html must be at most 90 kB together']);
    }
    assert.deepEqual(faultsOf({ text: '{{a}}', html: '{{a}}' }, { a: 'x'.repeat(60_000) }, ['email']), [
      'content.text: content.text and content.html must be at most 90 kB together',
    ]);
  });

  it('a value with a line break in the subject is refused', () => {
    const content = { text: 'x', subject: '{{a}}' };
    assert.deepEqual(faultsOf(content, { a: 'one' }, ['email']), []);
    assert.deepEqual(faultsOf(content, { a: 'one\r\nBcc: x@y.zz' }, ['email']), [
      'content.subject: content.subject must be one line of at most 998 characters',
    ]);
  });

  it('an approved template is filled in, and a variable of it that becomes empty is refused', () => {
    const content = { text: 'x', template: approved('{{name}}') };
    assert.deepEqual(render(content, { name: 'Ann' }, ['whatsapp']), { content: { text: 'x', template: approved('Ann') }, faults: [] });
    assert.deepEqual(faultsOf(content, { name: '' }, ['whatsapp']), [
      'content.template: content.template.variables.1 must be 1 to 1024 characters',
    ]);
  });
});

describe('many missing variables beside many unusable ones', () => {
  const contentOf = (count: number) => {
    const text = Array.from({ length: count }, (_, index) => `{{missing${index}}}`).join('');
    const variables = Object.fromEntries(Array.from({ length: count }, (_, index) => [`unusable${index}`, []]));
    const { faults } = render({ text }, variables);
    assert.equal(faults.filter(({ field }) => field.startsWith('variables.')).length, 2 * count);
    return { text, variables };
  };

  it('many missing and unusable variables cost time in proportion to their number', () => {
    assertLinear(({ text, variables }) => render({ text }, variables), contentOf, 2_000);
  });
});

describe('placeholders without variables', () => {
  it('placeholders without variables are sent literally, with one warning for each text', () => {
    const content = { text: '{{a}} {{b}}', html: '<p>{{c}}</p>', subject: 'plain' };
    assert.deepEqual(
      literalPlaceholders(content).map(({ field, message }) => `${field}: ${message}`),
      ['content.text', 'content.html'].map(
        (field) => `${field}: ${field} has placeholders, which are sent literally unless variables are given`,
      ),
    );
    assert.deepEqual(literalPlaceholders({ text: '\\{{ a }} {{' }), []);
  });
});
