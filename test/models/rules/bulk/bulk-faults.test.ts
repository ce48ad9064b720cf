import assert from 'node:assert/strict';
import { faultsOfPlan, planBulk } from '../../../../models/rules/bulk/bulk.js';
import type { BulkRequest } from '../../../../models/rules/bulk/bulk-templates.js';
import { bulk, faultsOf, phone, textsOf } from '../../../support/bulk-requests.js';

const big = 'x'.repeat(5000);
const deep = { a: { a: { a: { a: { a: {} } } } } };
const inexact = 'must be between -9007199254740991 and 9007199254740991; send larger numbers as strings';
const atSecond = (text: unknown) => String(text).replaceAll('@', 'recipients[1]');

describe('faults of bulk requests', () => {
  // `@` is the recipient's path.
  const bad: [what: string, recipient: unknown, field: string, message: string][] = [
    ['a bad number', '15551234567', '@.to', 'Phone number must be in E.164 format'],
    ['an empty text', '', '@.to', 'Missing required field: @.to'],
    ['null', null, '@.to', 'Missing required field: @.to'],
    ['nothing in it', { name: 'x' }, '@.to', 'Missing required field: @.to'],
    ['a number', 5, '@', '@ must be an object'],
    ['a list', [phone(1)], '@', '@ must be an object'],
    ['a number as `to`', { to: 15551234567, name: 'x' }, '@.to', '@.to must be a string'],
    ['NUL in `to`', { to: '\0', name: 'x' }, '@.to', '@.to must be valid text'],
    ['a missing variable', phone(1), '@.variables.name', 'Missing required field: @.variables.name'],
    ['a null variable', { to: phone(1), variables: { name: null } }, '@.variables.name', 'Missing required field: @.variables.name'],
    ['a variable that is a list', { to: phone(1), name: 'x', variables: { a: [] } }, '@.variables.a', '@.variables.a must be a string'],
    ['half a character', { to: phone(1), variables: { name: '\ud800' } }, '@.variables.name', '@.variables.name must be valid text'],
    ['a scalar with NUL', { to: phone(1), name: '\0' }, '@.name', '@.name must be valid text'],
    ['an endless number', { to: phone(1), variables: { name: 1 / 0 } }, '@.variables.name', '@.variables.name must be a number'],
    ['a variable above 2^53 - 1', { to: phone(1), variables: { name: 2 ** 53 } }, '@.variables.name', `@.variables.name ${inexact}`],
    ['a scalar below -(2^53 - 1)', { to: phone(1), name: -(2 ** 53) }, '@.name', `@.name ${inexact}`],
    ['metadata above 2^53 - 1', { to: phone(1), name: 'x', metadata: { a: 1e20 } }, '@.metadata.a', `@.metadata.a ${inexact}`],
    ['variables that are a list', { to: phone(1), name: 'x', variables: [] }, '@.variables', '@.variables must be an object'],
    ['metadata that is a text', { to: phone(1), name: 'x', metadata: 'x' }, '@.metadata', '@.metadata must be an object'],
    ['too much metadata', { to: phone(1), name: 'x', metadata: { a: big } }, '@.metadata', '@.metadata must be at most 4096 bytes'],
    ['metadata that is too deep', { to: phone(1), name: 'x', metadata: deep }, '@.metadata', '@.metadata must be at most 5 levels deep'],
    ['a number as reference', { to: phone(1), name: 'x', reference: 1 }, '@.reference', '@.reference must be a string'],
    ['an empty reference', { to: phone(1), name: 'x', reference: '' }, '@.reference', '@.reference must be 1 to 255 characters'],
    ['a text that becomes too long', { to: phone(1), name: 'x'.repeat(1598) }, '@', 'content.text must be at most 1600 characters'],
  ].map(([what, ...rest]) => [what, rest[0], atSecond(rest[1]), atSecond(rest[2])] as [string, unknown, string, string]);
  for (const [what, recipient, field, message] of bad) {
    it(`a bulk send refuses or skips ${what}`, async () => {
      const recipients = [{ to: phone(0), name: 'Ann' }, recipient, { to: phone(2), name: 'Bob' }];
      assert.deepEqual((await faultsOf(bulk({ recipients })))[0], { field, message });
      const skipped = bulk({ recipients, on_invalid: 'skip' });
      const plan = await planBulk(skipped);
      assert.deepEqual(faultsOfPlan(skipped, plan), []);
      assert.deepEqual([plan.total, plan.accepted, plan.invalid], [3, [0, 2], 1]);
      assert.deepEqual(plan.errors[0], { index: 1, field, message });
      assert.deepEqual(await textsOf(skipped), ['Hi Ann', 'Hi Bob']);
    });
  }
  it('a variable that is given but not usable is one fault', async () => {
    for (const given of [{ name: '\0' }, { variables: { name: [] } }]) {
      assert.equal((await faultsOf(bulk({ recipients: [{ to: phone(1), ...given }] }))).length, 1);
    }
  });
  it('a malformed placeholder is one fault, also when the text has nothing else', async () => {
    const faults = await faultsOf(bulk({ recipients: [phone(1)], content: { text: '{{a b}}' } }));
    assert.deepEqual(
      faults.map(({ field }) => field),
      ['content.text'],
    );
  });
  it('every fault of every row is found, and a bulk send without a remaining recipient is refused', async () => {
    const recipients = [{ to: 'x', metadata: 1 }, phone(0)];
    const expected = ['recipients[0].to', 'recipients[0].metadata', 'recipients[0].variables.name', 'recipients[1].variables.name'];
    for (const on_invalid of ['reject', 'skip'] as const) {
      assert.deepEqual(
        (await faultsOf(bulk({ recipients, on_invalid }))).map(({ field }) => field),
        expected,
      );
    }
  });
  it('a refusal lists a hundred faults and the number of further ones', async () => {
    const faults = await faultsOf(bulk({ recipients: Array.from({ length: 3500 }, () => 'x'), content: { text: 'x' } }));
    assert.equal(faults.length, 100);
    assert.deepEqual(faults.at(-1), { field: 'recipients', message: '3,401 more errors are not listed' });
  });

  /** The plan of a batch without the recipients that have faults, and the bytes of the faults that it stores. */
  const skipping = async (recipients: unknown[]) => {
    const plan = await planBulk(bulk({ recipients: [phone(0), ...recipients], content: { text: '{{first_name|x}}' }, on_invalid: 'skip' }));
    return { plan, bytes: Buffer.byteLength(JSON.stringify(plan.errors)) };
  };
  it('a bulk send stores ten thousand ordinary faults', async () => {
    const recipients = Array.from({ length: 9_999 }, (_, index) => ({
      to: phone(index + 1),
      variables: { first_name: [] },
      last_name: '',
    }));
    const { plan } = await skipping(recipients);
    assert.deepEqual([plan.invalid, plan.errors.length], [9_999, 9_999]);
  });
  it('a bulk send stores two megabytes of faults at most, and counts all', async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${'x'.repeat(176)}${index}`, []]));
    const recipients = Array.from({ length: 215 }, (_, index) => ({ to: phone(index + 1), variables: many }));
    const { plan, bytes } = await skipping(recipients);
    assert.deepEqual([plan.invalid, plan.errorCount], [215, 10_750]);
    assert.ok(bytes > 1_900_000 && bytes <= 2_000_001, `${bytes} bytes`);
  });
  it('a fault shows two hundred characters of a field of metadata', async () => {
    const { plan } = await skipping([{ to: phone(1), metadata: { ['k'.repeat(4_000)]: 1e20 } }]);
    const field = `recipients[1].metadata.${'k'.repeat(177)}`;
    assert.deepEqual(plan.errors, [{ index: 1, field, message: `${field} ${inexact}` }]);
  });

  const wrong: [string, Partial<BulkRequest>, string, string][] = [
    [
      'with a placeholder that is none',
      { content: { text: 'Hi {{first name}}!' } },
      'content.text',
      'content.text has an invalid placeholder: {{first name}}',
    ],
    [
      'with a text that is too long for everybody',
      { content: { text: `{{name}}${'x'.repeat(1601)}` } },
      'content.text',
      'content.text must be at most 1600 characters',
    ],
    [
      'with a template without end',
      { content: { text: '{{name}}'.repeat(3000) } },
      'content.text',
      'content.text must be at most 16000 characters',
    ],
    ['without recipients', { recipients: [] }, 'recipients', 'recipients must have 1 to 10,000 items'],
    [
      'to too many recipients',
      { recipients: Array.from({ length: 10_001 }, (_, index) => phone(index)), content: { text: 'x' } },
      'recipients',
      'recipients must have 1 to 10,000 items',
    ],
  ];
  for (const [what, changes, field, message] of wrong) {
    it(`a bulk send ${what} is refused once, also with on_invalid skip`, async () => {
      for (const on_invalid of ['reject', 'skip'] as const) {
        assert.deepEqual((await faultsOf(bulk({ ...changes, on_invalid })))[0], { field, message });
      }
    });
  }
  it('a fault of the common texts is reported once, not for each recipient', async () => {
    const recipients = [{ to: 'a@example.com' }, { to: 'b@example.com' }];
    for (const on_invalid of ['reject', 'skip'] as const) {
      const wrong = bulk({ channel: 'email', content: { text: 'x', subject: 'a\nb' }, recipients, on_invalid });
      const message = 'content.subject must be one line of at most 998 characters';
      assert.deepEqual(await faultsOf(wrong), [{ field: 'content.subject', message }]);
    }
    const long = bulk({ content: { text: 'x'.repeat(1601) }, recipients: [phone(1), phone(2)] });
    assert.deepEqual(await faultsOf(long), [{ field: 'content.text', message: 'content.text must be at most 1600 characters' }]);
  });
  it('an e-mail in bulk is limited in bytes, and its subject after substitution', async () => {
    const content = { text: 'x'.repeat(46_000), html: '{{name}}', subject: 'Re: {{name}}' };
    const mail = (name: string) => bulk({ channel: 'email', content, recipients: [{ to: 'a@b.co', name }] });
    const texts = async (name: string) => (await faultsOf(mail(name))).map(({ message }) => message);
    assert.deepEqual(await texts('ok'), []);
    assert.deepEqual(await texts('a\r\nBcc: x@y.zz'), ['content.subject must be one line of at most 998 characters']);
    assert.deepEqual(await texts('ä'.repeat(23_081)), ['content.text and content.html must be at most 90 kB together']);
    assert.deepEqual(await texts('x'.repeat(200_000)), ['content.text and content.html must be at most 90 kB together']);
    assert.deepEqual(await texts('x'.repeat(995)), ['content.subject must be one line of at most 998 characters']);
  });
  it('a text that is empty after substitution is refused', async () => {
    const recipients = [{ to: phone(0), name: '' }];
    assert.deepEqual(await faultsOf(bulk({ content: { text: '{{name}}' }, recipients })), [
      { field: 'recipients[0]', message: 'Missing required field: content.text' },
    ]);
  });
  it('a huge value in many placeholders is refused', async () => {
    const recipients = [{ to: phone(0), name: 'x'.repeat(3_000_000) }];
    assert.equal((await faultsOf(bulk({ content: { text: '{{name}}'.repeat(1900) }, recipients }))).length, 1);
  });
});
