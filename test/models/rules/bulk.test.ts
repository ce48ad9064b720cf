import assert from 'node:assert/strict';
import fc from 'fast-check';
import { faultsOfPlan, pagesOfBulk, planBulk } from '../../../models/rules/bulk.js';
import type { BulkMessage } from '../../../models/rules/bulk-recipient.js';
import { previewBulk } from '../../../models/rules/bulk-preview.js';
import type { BulkRequest } from '../../../models/rules/bulk-templates.js';
import { priceOf } from '../../../models/rules/credits.js';
import { segmentsOf } from '../../../models/rules/segments.js';

const phone = (index: number) => `+1555${String(1_000_000 + index)}`;
const bulk = (changes: Partial<BulkRequest> = {}): BulkRequest => ({
  channel: 'sms',
  content: { text: 'Hi {{name}}' },
  recipients: [{ to: phone(0), variables: { name: 'Ann' } }],
  ...changes,
});

async function messagesOf(request: BulkRequest): Promise<BulkMessage[]> {
  const messages: BulkMessage[] = [];
  for await (const page of pagesOfBulk(request, await planBulk(request))) messages.push(...page);
  return messages;
}
const big = 'x'.repeat(5000);
const deep = { a: { a: { a: { a: { a: {} } } } } };
const atSecond = (text: unknown) => String(text).replaceAll('@', 'recipients[1]');
const faultsOf = async (request: BulkRequest) => faultsOfPlan(request, await planBulk(request));
const textsOf = async (request: BulkRequest) => (await messagesOf(request)).map(({ content }) => content.text);

describe('bulk', () => {
  it('takes bare recipients and objects; other scalars are variables behind those of `variables`', async () => {
    const text = '{{a|-}} {{b|-}} {{c|-}} {{to|-}} {{reference|-}}';
    const recipients = [
      phone(0),
      { to: phone(1), a: 'x', b: 2, c: true },
      { to: phone(2), a: 'x', variables: { a: 'y', b: null }, reference: 'r', c: { d: 1 }, b: [1] },
      { to: phone(3), variables: { to: 'variable', reference: 0 } },
    ];
    assert.deepEqual(await textsOf(bulk({ content: { text }, recipients })), [
      '- - - - -',
      'x 2 true - -',
      'y - - - -',
      '- - - variable 0',
    ]);
  });
  it('metadata and reference of a recipient come before those of the batch', async () => {
    const recipients = [
      phone(0),
      { to: phone(1), metadata: { a: 1 }, reference: 'mine' },
      { to: phone(2), metadata: null, reference: null },
    ];
    const messages = await messagesOf(bulk({ content: { text: 'x' }, recipients, metadata: { all: true }, reference: 'ours' }));
    assert.deepEqual(
      messages.map(({ metadata, reference }) => [metadata, reference]),
      [
        [{ all: true }, 'ours'],
        [{ a: 1 }, 'mine'],
        [{ all: true }, 'ours'],
      ],
    );
  });
  it('counts length, price, segments and encoding of each text for itself', async () => {
    const recipients = ['x', 'x'.repeat(161), '😀'.repeat(80)].map((name, index) => ({ to: phone(index), name }));
    const messages = await messagesOf(bulk({ content: { text: '{{name}}' }, recipients }));
    assert.deepEqual(
      messages.map(({ cost, segments, encoding }) => [cost, segments, encoding]),
      [
        [1000, 1, 'GSM-7'],
        [2000, 2, 'GSM-7'],
        [1000, 3, 'UCS-2'],
      ],
    );
    assert.equal((await planBulk(bulk({ content: { text: '{{name}}' }, recipients }))).cost, 4000);
  });
  it('renders subject and html of e-mails, values in html escaped, and drops both elsewhere', async () => {
    const content = { text: 'Hi {{name}}', subject: 'For {{name}}', html: '<p>{{name|<b>you</b>}}</p>' };
    const mail = bulk({ channel: 'email', content, recipients: [{ to: 'a@b.co', name: '<Ann & Bob>' }] });
    const expected = { text: 'Hi <Ann & Bob>', subject: 'For <Ann & Bob>', html: '<p>&lt;Ann &amp; Bob&gt;</p>' };
    assert.deepEqual((await messagesOf(mail))[0]?.content, expected);
    assert.deepEqual((await messagesOf(bulk({ content })))[0]?.content, { text: 'Hi Ann' });
  });

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
    ['variables that are a list', { to: phone(1), name: 'x', variables: [] }, '@.variables', '@.variables must be an object'],
    ['metadata that is a text', { to: phone(1), name: 'x', metadata: 'x' }, '@.metadata', '@.metadata must be an object'],
    ['too much metadata', { to: phone(1), name: 'x', metadata: { a: big } }, '@.metadata', '@.metadata must be at most 4096 bytes'],
    ['metadata that is too deep', { to: phone(1), name: 'x', metadata: deep }, '@.metadata', '@.metadata must be at most 5 levels deep'],
    ['a number as reference', { to: phone(1), name: 'x', reference: 1 }, '@.reference', '@.reference must be a string'],
    ['an empty reference', { to: phone(1), name: 'x', reference: '' }, '@.reference', '@.reference must be 1 to 255 characters'],
    ['a text that becomes too long', { to: phone(1), name: 'x'.repeat(1598) }, '@', 'content.text must be at most 1600 characters'],
  ].map(([what, ...rest]) => [what, rest[0], atSecond(rest[1]), atSecond(rest[2])] as [string, unknown, string, string]);
  for (const [what, recipient, field, message] of bad) {
    it(`refuses ${what}, or leaves it out`, async () => {
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
  it('finds every fault of every row, and refuses when nothing is left to send', async () => {
    const recipients = [{ to: 'x', metadata: 1 }, phone(0)];
    const expected = ['recipients[0].to', 'recipients[0].metadata', 'recipients[0].variables.name', 'recipients[1].variables.name'];
    for (const on_invalid of ['reject', 'skip'] as const) {
      assert.deepEqual(
        (await faultsOf(bulk({ recipients, on_invalid }))).map(({ field }) => field),
        expected,
      );
    }
  });
  it('lists a thousand faults and says how many more there are', async () => {
    const faults = await faultsOf(bulk({ recipients: Array.from({ length: 3500 }, () => 'x'), content: { text: 'x' } }));
    assert.equal(faults.length, 1001);
    assert.deepEqual(faults.at(-1), { field: 'recipients', message: '2,500 more faults are not listed' });
  });

  const wrong: [string, Partial<BulkRequest>, string, string][] = [
    [
      'a placeholder that is none',
      { content: { text: 'Hi {{first name}}!' } },
      'content.text',
      'content.text has an invalid placeholder: {{first name}}',
    ],
    [
      'a text that is too long for everybody',
      { content: { text: `{{name}}${'x'.repeat(1601)}` } },
      'content.text',
      'content.text must be at most 1600 characters',
    ],
    [
      'a template without end',
      { content: { text: '{{name}}'.repeat(3000) } },
      'content.text',
      'content.text must be at most 16000 characters',
    ],
    ['nobody', { recipients: [] }, 'recipients', 'recipients must have 1 to 10,000 items'],
    [
      'too many',
      { recipients: Array.from({ length: 10_001 }, (_, index) => phone(index)), content: { text: 'x' } },
      'recipients',
      'recipients must have 1 to 10,000 items',
    ],
  ];
  for (const [what, changes, field, message] of wrong) {
    it(`refuses ${what} once, also with on_invalid skip`, async () => {
      for (const on_invalid of ['reject', 'skip'] as const) {
        assert.deepEqual((await faultsOf(bulk({ ...changes, on_invalid })))[0], { field, message });
      }
    });
  }
  it('judges e-mails in bytes, text and html together, and subjects after substitution', async () => {
    const content = { text: 'x'.repeat(46_000), html: '{{name}}', subject: 'Re: {{name}}' };
    const mail = (name: string) => bulk({ channel: 'email', content, recipients: [{ to: 'a@b.co', name }] });
    const texts = async (name: string) => (await faultsOf(mail(name))).map(({ message }) => message);
    assert.deepEqual(await texts('ok'), []);
    assert.deepEqual(await texts('a\r\nBcc: x@y.zz'), ['content.subject must be one line of at most 998 characters']);
    assert.deepEqual(await texts('ä'.repeat(23_081)), ['content.text and content.html must be at most 90 kB together']);
    assert.deepEqual(await texts('x'.repeat(200_000)), ['content.text and content.html must be at most 90 kB together']);
    assert.deepEqual(await texts('x'.repeat(995)), ['content.subject must be one line of at most 998 characters']);
  });
  it('refuses a text that substitution leaves empty', async () => {
    const recipients = [{ to: phone(0), name: '' }];
    assert.deepEqual(await faultsOf(bulk({ content: { text: '{{name}}' }, recipients })), [
      { field: 'recipients[0]', message: 'Missing required field: content.text' },
    ]);
  });
  it('a huge value in many placeholders is a fault, not the end of the process', async () => {
    const recipients = [{ to: phone(0), name: 'x'.repeat(3_000_000) }];
    assert.equal((await faultsOf(bulk({ content: { text: '{{name}}'.repeat(1900) }, recipients }))).length, 1);
  });

  it('sends to duplicates once, the first that is good; addresses without regard to case', async () => {
    const recipients = [{ to: 'A@b.co' }, { to: 'A@b.co', name: '1' }, { to: 'c@d.co', name: '2' }, { to: 'a@B.CO', name: '3' }];
    const request = bulk({ channel: 'email', recipients, on_invalid: 'skip' });
    assert.deepEqual(await textsOf(request), ['Hi 1', 'Hi 2']);
    const { total, accepted, invalid } = await planBulk(request);
    assert.deepEqual([total, accepted.length, invalid], [4, 2, 1]);
    assert.deepEqual(await textsOf({ ...request, allow_duplicates: true }), ['Hi 1', 'Hi 2', 'Hi 3']);
  });
  it('pages hold 250, and a test may raise the limit', async () => {
    const request = bulk({ content: { text: 'x' }, recipients: Array.from({ length: 10_260 }, (_, index) => phone(index)) });
    const plan = await planBulk(request, 20_000);
    const sizes: number[] = [];
    for await (const page of pagesOfBulk(request, plan)) sizes.push(page.length);
    assert.deepEqual([sizes.length, new Set(sizes.slice(0, -1)), sizes.at(-1)], [42, new Set([250]), 10]);
  });
  it('lets others have their turn', async () => {
    const request = bulk({
      content: { text: 'x {{name}}' },
      recipients: Array.from({ length: 10_000 }, (_, index) => ({ to: phone(index), name: index })),
    });
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    await planBulk(request);
    clearInterval(timer);
    assert.ok(turns > 3, `${turns} turns`);
  });

  const value = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer(), fc.boolean());
  const good = fc.record({ to: fc.nat(50).map(phone), name: value });
  const someBad = fc.constantFrom<unknown>('x', { to: phone(1) }, null, 7, { to: phone(2), name: [] });
  it('whatever is given: nobody is lost, nobody is sent to twice, and the sum is the price of the texts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ arbitrary: good, weight: 4 }, someBad), { minLength: 1, maxLength: 40 }),
        fc.boolean(),
        async (recipients, allow_duplicates) => {
          const request = bulk({ recipients, on_invalid: 'skip', allow_duplicates });
          const plan = await planBulk(request);
          const messages = await messagesOf(request);
          const valid = recipients.filter(
            (one): one is { to: string; name: string } =>
              typeof one === 'object' && one !== null && 'name' in one && !Array.isArray(one.name),
          );
          const expected = allow_duplicates ? valid : [...new Map(valid.toReversed().map((one) => [one.to, one])).values()];
          assert.equal(plan.invalid, recipients.length - valid.length);
          assert.deepEqual(new Set(plan.errors.map(({ index }) => index)).size, plan.invalid);
          assert.deepEqual(
            messages.map(({ to, content }) => `${to} ${content.text}`).toSorted(),
            expected.map(({ to, name }) => `${to} Hi ${name}`).toSorted(),
          );
          for (const { content, cost, segments, encoding } of messages) {
            assert.deepEqual({ cost, segments, encoding }, { cost: priceOf('sms', content.text), ...segmentsOf(content.text) });
          }
          assert.equal(
            plan.cost,
            messages.reduce((sum, { cost }) => sum + cost, 0),
          );
          const previewed = await previewBulk(request, plan);
          assert.equal(previewed.length, recipients.length);
          assert.equal(
            previewed.reduce((sum, { cost }) => sum + cost, 0),
            plan.cost,
          );
        },
      ),
      { numRuns: 60 },
    );
  });
});
