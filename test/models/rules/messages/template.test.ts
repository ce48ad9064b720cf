import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compileTemplate, missingFrom, render } from '../../../../models/rules/messages/template.js';
import { escapeHtml } from '../../../../models/rules/values/html.js';
import { assertLinear } from '../../../support/measure/cpu-cost.js';

const rendered = (text: string, values: Record<string, string> = {}) => render(compileTemplate(text), new Map(Object.entries(values))).text;

describe('template', () => {
  const cases: [string, Record<string, string>, string][] = [
    ['Hi {{name}}!', { name: 'Ann' }, 'Hi Ann!'],
    ['Hi {{ name }}!', { name: 'Ann' }, 'Hi Ann!'],
    ['{{name}}{{name}}', { name: 'x' }, 'xx'],
    ['{{a.b}} {{a-b}} {{a_b}} {{1}} {{straße}}', { 'a.b': '1', 'a-b': '2', a_b: '3', 1: '4', straße: '5' }, '1 2 3 4 5'],
    ['{{name|friend}}', {}, 'friend'],
    ['{{ name | dear friend }}', {}, 'dear friend'],
    ['{{name|friend}}', { name: 'Ann' }, 'Ann'],
    ['{{name|friend}}', { name: '' }, ''],
    ['[{{name|}}]', {}, '[]'],
    ['{{a|x}} {{a}}', { a: '1' }, '1 1'],
    ['\\{{name}}', { name: 'Ann' }, '{{name}}'],
    ['\\{{ and {{name}}', { name: 'Ann' }, '{{ and Ann'],
    ['\\n \\ {name} }} { {', {}, '\\n \\ {name} }} { {'],
    ['{{{name}}}', { name: 'Ann' }, '{Ann}'],
    ['{{a}}', { a: '{{b}} \\{{ $& {{a}}', b: 'no' }, '{{b}} \\{{ $& {{a}}'],
    ['{{constructor}} {{__proto__}}', { constructor: 'x', ['__proto__']: 'y' }, 'x y'],
    ['', {}, ''],
  ];
  for (const [text, values, expected] of cases) {
    it(`the template ${JSON.stringify(text)} is rendered as ${JSON.stringify(expected)}`, () => {
      assert.equal(compileTemplate(text).malformed, null);
      assert.equal(render(compileTemplate(text), new Map(Object.entries(values))).text, expected);
    });
  }
  it('names of placeholders are case-sensitive, and not inherited', () => {
    const template = compileTemplate('{{Name}} {{name}} {{toString}} {{b|x}} {{name}}');
    assert.deepEqual(missingFrom(template, new Map([['name', 'x']])), ['Name', 'toString']);
  });
  it('a placeholder without a value stays in the text', () => assert.equal(rendered('a {{ b }} c'), 'a {{ b }} c'));
  for (const text of ['{{first name}}', '{{', '{{}}', '{{ }}', 'a {{b', '{{a|{b}}}', '{{#if x}}', '{{a|b}', 'ok {{x}} {{y z}}']) {
    it(`the template ${JSON.stringify(text)} is malformed`, () => assert.ok(compileTemplate(text).malformed?.startsWith('{{')));
  }
  it('a malformed placeholder is shown up to 40 characters', () => {
    assert.equal(compileTemplate(`{{${'x y'.repeat(5000)}}}`).malformed?.length, 40);
  });
  it('values of a template are escaped on request, but not fallbacks', () => {
    const template = compileTemplate('<b>{{a}}</b>{{b|<i>}}');
    assert.equal(render(template, new Map([['a', `<"&'>`]]), { escape: escapeHtml }).text, '<b>&lt;&quot;&amp;&#39;&gt;</b><i>');
  });
  it('a rendered text is cut at the limit, and stays well-formed', () => {
    const values = new Map([['a', '😀'.repeat(1_000_000)]]);
    const { text, isCut } = render(compileTemplate('{{a}}'.repeat(3000)), values, { unitsMax: 7 });
    assert.deepEqual([isCut, text], [true, '😀😀😀\ufffd']);
    assert.equal(render(compileTemplate('1234567'), values, { unitsMax: 7 }).isCut, false);
  });

  const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,10}$/);
  const anyText = fc.string({ unit: 'binary', maxLength: 30 });
  const literal = anyText.map((text) => text.replaceAll(/[{}\\]/g, ''));
  const piece = fc.oneof(
    literal.map((text) => ({ source: text, name: null, fallback: undefined, text })),
    fc.constant({ source: '\\{{', name: null, fallback: undefined, text: '{{' }),
    name.map((of) => ({ source: `{{ ${of}}}`, name: of, fallback: undefined, text: '' })),
    fc.tuple(name, literal).map(([of, fallback]) => ({ source: `{{${of}|${fallback}}}`, name: of, fallback: fallback.trim(), text: '' })),
  );
  it('a rendered text has values or fallbacks for placeholders, and is otherwise unchanged', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.dictionary(name, anyText), (pieces, given) => {
        const values = new Map(Object.entries(given));
        const template = compileTemplate(pieces.map(({ source }) => source).join(''));
        const required = pieces.filter((part) => part.name !== null && part.fallback === undefined).map((part) => part.name as string);
        assert.equal(template.malformed, null);
        assert.deepEqual(
          missingFrom(template, values),
          [...new Set(required)].filter((one) => !values.has(one)),
        );
        const expected = pieces.map((part) => (part.name === null ? part.text : (values.get(part.name) ?? part.fallback ?? part.source)));
        assert.equal(render(template, values).text, expected.join(''));
      }),
    );
  });
  it('a text without braces and backslashes stays as it is', () => {
    fc.assert(fc.property(literal, (text) => assert.equal(rendered(text), text)));
  });
  it('placeholders inside values are not rendered', () => {
    fc.assert(
      fc.property(anyText, anyText, (before, value) => {
        const text = `${before.replaceAll(/[{}\\]/g, '')}{{v}}`;
        assert.ok(rendered(text, { v: value, name: 'boom' }).endsWith(value));
      }),
    );
  });
  for (const hostile of ['{{', '{', '{{a', '{{a|', '{{ ', '{{a ', '\\', '\\{{', '{{a}}', '{{a|b}', 'a|', ' ']) {
    it(`a template of many ${JSON.stringify(hostile)} costs time in proportion to its length`, () => {
      assertLinear(compileTemplate, (length) => hostile.repeat(length));
      assertLinear(compileTemplate, (length) => `{{${hostile.replaceAll('{', '').repeat(length)}`);
    });
  }
});
