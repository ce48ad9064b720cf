import assert from 'node:assert/strict';
import {
  doubleIndexOf,
  faultOfText,
  faultOfTemplateVariables,
  isLanguage,
  isTemplateName,
  isVariableName,
  partApart,
  textRules,
  type TextKind,
  withTexts,
} from '../../../../models/rules/messages/whatsapp-template.js';

describe('a template of WhatsApp', () => {
  it('the name of a template has letters, digits and underscores', () => {
    for (const name of ['a', 'Order_1', 'x'.repeat(512)]) assert.ok(isTemplateName(name), name);
    for (const name of ['', 'a b', 'a-b', ' a', 'a ', 'x'.repeat(513)]) assert.equal(isTemplateName(name), false, name);
  });

  it('the language of a template may have a region', () => {
    for (const language of ['en', 'fil', 'en_US', 'zh-Hant', 'es_419', 'en_Longword']) assert.ok(isLanguage(language), language);
    for (const language of ['', 'e', 'engl', 'e1', 'en_', 'en_U', 'en US', 'en_Longwords', 'en_US_x', ' en', 'en ', '(en)'])
      assert.equal(isLanguage(language), false, language);
  });

  it('the name of a variable begins with a letter or digit', () => {
    for (const name of ['1', 'name', 'a_b', 'x'.repeat(64)]) assert.ok(isVariableName(name), name);
    for (const name of ['', '_a', '__proto__', 'a b', ' a', 'x'.repeat(65)]) assert.equal(isVariableName(name), false, name);
  });

  for (const [kind, { lengthMax, wrong }] of Object.entries(textRules) as [TextKind, { lengthMax: number; wrong: string }][]) {
    const text = kind === 'link' ? `https://${'x'.repeat(lengthMax - 8)}` : '😀'.repeat(lengthMax);
    it(`a ${kind} has 1 to ${lengthMax} characters`, () => {
      assert.equal(faultOfText(kind, text), null);
      assert.equal(faultOfText(kind, `${text}x`), wrong);
      assert.equal(faultOfText(kind, ''), wrong);
    });
  }

  it('a text, a file name and a suffix have one line, a variable and a payload may have several', () => {
    for (const kind of ['text', 'filename', 'suffix'] as const)
      for (const text of ['a\rb', 'a\nb', 'a\tb'])
        assert.equal(faultOfText(kind, text), textRules[kind].wrong, `${kind} ${JSON.stringify(text)}`);
    for (const kind of ['variable', 'payload'] as const) assert.equal(faultOfText(kind, 'a\nb'), null);
  });

  it('a link to a file begins with http or https, and has no space', () => {
    for (const link of ['https://x.test/a.png', 'http://x.test']) assert.equal(faultOfText('link', link), null, link);
    for (const link of [
      'ftp://x.test',
      'https://',
      'https:///a',
      'https://?a',
      'https://#a',
      'https:// x',
      'https://x y',
      ' https://x',
      'xhttps://x',
    ])
      assert.equal(faultOfText('link', link), textRules.link.wrong, link);
  });
});

describe('the variables of a template', () => {
  const faultOf = (variables: object, isCheckedAfterRendering = false) =>
    faultOfTemplateVariables('v', variables, () => isCheckedAfterRendering);
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 'x']));
  it('a template with 51 variables is refused', () => {
    assert.equal(faultOf(many(50)), null);
    assert.deepEqual(faultOf(many(51)), { field: 'v', message: 'v must have at most 50 entries' });
  });
  it('the variables of a template have valid names and texts', () => {
    assert.deepEqual(faultOf({ ok: 'x', 'a b': 'x' }), {
      field: 'v',
      message: 'v must have names of 1 to 64 letters, digits or underscores',
    });
    assert.deepEqual(faultOf({ ok: 'x', a: 5 }), { field: 'v.a', message: 'v.a must be a string' });
    assert.deepEqual(faultOf({ ok: 'x', a: '\0' }), { field: 'v.a', message: 'v.a must be valid text' });
    assert.deepEqual(faultOf({ ok: 'x', a: '' }), { field: 'v.a', message: 'v.a must be 1 to 1024 characters' });
    assert.deepEqual(faultOf({ a: '\0' }, true), { field: 'v.a', message: 'v.a must be valid text' });
    assert.equal(faultOf({ a: 'x'.repeat(1025) }, true), null);
  });
});

describe('the parts of a template', () => {
  const button = { index: 0, type: 'url', suffix: 'x' } as const;
  it('the first part with variables of its own is the header, then the buttons', () => {
    const header = { type: 'text', text: 'x' } as const;
    assert.deepEqual(
      [undefined, {}, { buttons: [] }, { buttons: [button] }, { header }, { header, buttons: [button] }].map((template) =>
        partApart(template),
      ),
      [null, null, null, 'buttons', 'header', 'header'],
    );
  });

  it('the parts of a template name each button once', () => {
    const doubleOf = (...indexes: unknown[]) => doubleIndexOf(indexes.map((index) => (index === null ? null : { index })));
    assert.deepEqual(
      [doubleOf(), doubleOf(0, 1, 2), doubleOf(0, 1, 1, 0), doubleOf('1', '1', null, undefined)],
      [undefined, undefined, 1, undefined],
    );
  });

  it('the parts of a template have their texts replaced, and nothing else', () => {
    const seen: string[] = [];
    const template = {
      name: 'order',
      language: 'en',
      variables: { 1: 'one' },
      header: { type: 'document', link: 'l', filename: 'f' } as const,
      buttons: [button, { index: 1, type: 'quick_reply', payload: 'p' } as const],
    };
    const replaced = withTexts(template, (text, field, kind) => `${text}!${seen.push(`${kind} ${field}`)}`);
    assert.deepEqual(replaced, {
      name: 'order',
      language: 'en',
      variables: { 1: 'one!1' },
      header: { type: 'document', link: 'l!2', filename: 'f!3' },
      buttons: [
        { index: 0, type: 'url', suffix: 'x!4' },
        { index: 1, type: 'quick_reply', payload: 'p!5' },
      ],
    });
    assert.deepEqual(seen, [
      'variable content.template.variables.1',
      'link content.template.header.link',
      'filename content.template.header.filename',
      'suffix content.template.buttons[0].suffix',
      'payload content.template.buttons[1].payload',
    ]);
    assert.deepEqual(
      withTexts({ name: 'order', language: 'en' }, () => 'x'),
      { name: 'order', language: 'en', variables: {} },
    );
  });
});
