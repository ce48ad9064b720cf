import assert from 'node:assert/strict';
import { callbackBytesMax, checkHead } from '../../../../models/rules/callbacks/before-body.js';
import { readerOf } from '../../../../models/rules/callbacks/reader-of.js';
import type { ProviderAccount, ProviderKind } from '../../../../models/rules/routing/provider-kinds.js';
import { settingsNeeded } from '../../../../models/settings/provider-account.js';

const account = (kind: ProviderKind) => ({ kind, callbackPassword: 'secret' }) as unknown as ProviderAccount;
const hex = '0a'.repeat(32);
const kilobytes: [ProviderKind, number, header?: string, good?: string, bad?: string[]][] = [
  ['sandbox', 512, 'x-sandbox-signature', hex, [`${hex}0`, `x${hex}`, hex.toUpperCase()]],
  [
    'twilio',
    64,
    'x-twilio-signature',
    `${'aZ0+/'.repeat(5)}ab=`,
    [`${'aZ0+/'.repeat(5)}ab`, `x${'aZ0+/'.repeat(5)}ab=`, `${'aZ0+/'.repeat(5)}ab=x`],
  ],
  ['meta', 3 * 1024, 'x-hub-signature-256', `sha256=${hex}`, [hex, `sha1=${hex}`, `sha256=${hex}0`, `x sha256=${hex}`]],
  ['sendgrid', 1024, 'x-twilio-email-event-webhook-signature', 'MEUC==', ['===', 'MEUC===', ' MEUC', 'ME UC']],
  ['ses', 512],
  ['smtp', 0],
];

describe('the head of a callback', () => {
  for (const [kind, size, header = '', good = '', bad = []] of kilobytes) {
    it(`a callback of ${kind} may have a body of ${size} kB${header === '' ? '' : ', if it has a signature'}`, () => {
      checkHead(account(kind), { [header]: good });
      assert.equal(callbackBytesMax[kind], size * 1024);
    });
    for (const signature of header === '' ? [] : ['', ...bad])
      it(`a callback of ${kind} is refused with ${signature === '' ? 'no signature' : `"${signature.replace(hex, '<hex>')}"`}`, () =>
        assert.throws(() => checkHead(account(kind), signature === '' ? {} : { [header]: signature }), { code: 'forbidden' }));
  }

  it('a callback of Postmark is refused before its body without the password', () => {
    const headers = { authorization: `Basic ${Buffer.from('any:secret').toString('base64')}` };
    checkHead(account('postmark'), headers);
    assert.equal(callbackBytesMax.postmark, 1024 * 1024);
    assert.throws(() => checkHead(account('postmark'), {}), { code: 'forbidden' });
  });
});

describe('the reader of callbacks', () => {
  it('the reader of callbacks exists for every provider except a plain mail server', () => {
    const tools = { secretKeys: ['k'], accounts: [], certificateAt: () => Promise.reject(new Error('none')) };
    const kinds = Object.keys(settingsNeeded) as ProviderKind[];
    assert.deepEqual(
      kinds.filter((kind) => readerOf(account(kind), tools) === null),
      ['smtp'],
    );
  });
});
