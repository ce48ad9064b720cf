import assert from 'node:assert/strict';
import fc from 'fast-check';
import { pagesOfBulk, planBulk } from '../../../../models/rules/bulk/bulk.js';
import { previewBulk } from '../../../../models/rules/bulk/bulk-preview.js';
import { priceOf } from '../../../../models/rules/billing/credits.js';
import { segmentsOf } from '../../../../models/rules/messages/segments.js';
import { bulk, messagesOf, phone, textsOf } from '../../../support/bulk-requests.js';

describe('bulk', () => {
  it('recipients are addresses or objects, whose other fields are variables', async () => {
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
  it('metadata and reference of a recipient precede those of the batch', async () => {
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
  it('each text of a bulk send has its own price and segments', async () => {
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
  it('subject and escaped html are rendered for e-mails only', async () => {
    const content = { text: 'Hi {{name}}', subject: 'For {{name}}', html: '<p>{{name|<b>you</b>}}</p>' };
    const mail = bulk({ channel: 'email', content, recipients: [{ to: 'a@b.co', name: '<Ann & Bob>' }] });
    const expected = { text: 'Hi <Ann & Bob>', subject: 'For <Ann & Bob>', html: '<p>&lt;Ann &amp; Bob&gt;</p>' };
    assert.deepEqual((await messagesOf(mail))[0]?.content, expected);
    assert.deepEqual((await messagesOf(bulk({ content })))[0]?.content, { text: 'Hi Ann' });
  });

  it('a bulk send sends once to duplicates, in any case of an address', async () => {
    const recipients = [{ to: 'A@b.co' }, { to: 'A@b.co', name: '1' }, { to: 'c@d.co', name: '2' }, { to: 'a@B.CO', name: '3' }];
    const request = bulk({ channel: 'email', recipients, on_invalid: 'skip' });
    assert.deepEqual(await textsOf(request), ['Hi 1', 'Hi 2']);
    const { total, accepted, invalid } = await planBulk(request);
    assert.deepEqual([total, accepted.length, invalid], [4, 2, 1]);
    assert.deepEqual(await textsOf({ ...request, allow_duplicates: true }), ['Hi 1', 'Hi 2', 'Hi 3']);
  });
  it('a bulk send sends once to a number that is written in two ways, and to others of its country', async () => {
    const twoWays = '+525512345678 +5215512345678 +5491123456789 +541123456789 +551187654321 +5511987654321 +5215512345678';
    const recipients = `${twoWays} +525512345679 +541123456780 +551132654321 +5511932654321`.split(' ');
    for (const channel of ['sms', 'whatsapp'] as const) {
      const request = bulk({ channel, content: { text: 'x' }, recipients });
      const sent = [0, 2, 4, 7, 8, 9, 10];
      assert.deepEqual((await planBulk(request)).accepted, sent);
      assert.equal((await planBulk({ ...request, allow_duplicates: true })).accepted.length, recipients.length);
    }
  });
  it('a bulk send has pages of 250 messages', async () => {
    const request = bulk({ content: { text: 'x' }, recipients: Array.from({ length: 10_260 }, (_, index) => phone(index)) });
    const plan = await planBulk(request, { max: 20_000 });
    const sizes: number[] = [];
    for await (const page of pagesOfBulk(request, plan)) sizes.push(page.length);
    assert.deepEqual([sizes.length, new Set(sizes.slice(0, -1)), sizes.at(-1)], [42, new Set([250]), 10]);
  });
  it('a bulk send of long texts has smaller pages', async () => {
    const recipients = Array.from({ length: 90 }, (_, index) => ({ to: `a${index}@example.com`, name: 'x'.repeat(90_000) }));
    const request = bulk({ channel: 'email', content: { text: '{{name}}' }, recipients });
    const sizes: number[] = [];
    for await (const page of pagesOfBulk(request, await planBulk(request))) sizes.push(page.length);
    assert.deepEqual(sizes, [45, 45]);
  });
  it('the check of a bulk send yields to other work', async () => {
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
    assert.ok(turns > 0, 'how many depends on how fast the machine is');
  });

  const value = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer(), fc.boolean());
  const good = fc.record({ to: fc.nat(50).map(phone), name: value });
  const someBad = fc.constantFrom<unknown>('x', { to: phone(1) }, null, 7, { to: phone(2), name: [] });
  it('a bulk send sends once to each recipient for any input, and adds the prices up', async () => {
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
