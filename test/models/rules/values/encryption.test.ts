import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decrypt, encrypt, cachingDecrypter } from '../../../../models/rules/values/encryption.js';

const key = 'k'.repeat(32);
const other = 'o'.repeat(32);
const altered = /unable to authenticate/;

describe('encrypt and decrypt', () => {
  it('decryption returns every encrypted text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, context) =>
        assert.equal(decrypt([key], context, encrypt(key, context, text)), text),
      ),
    );
  });

  it('encryption never returns the same bytes twice', () => {
    const sealed = Array.from({ length: 50 }, () => encrypt(key, 'webhook:1', 'whsec_secret').toString('latin1'));
    assert.equal(new Set(sealed).size, 50);
    for (const bytes of sealed) assert.ok(!bytes.includes('secret'));
  });

  it('decryption reads what earlier versions wrote', () => {
    const stored = 'AVNBrY6Hdtdcu6ES1ehw239OU5u2S6U98L5F/Awbma8lI7xuhg7n9bPioTSimg==';
    assert.equal(decrypt([key], 'webhook:1', Buffer.from(stored, 'base64')), 'whsec_Grüße');
  });

  it('decryption refuses another key and another context', () => {
    const sealed = encrypt(key, 'webhook:1', 'secret');
    assert.throws(() => decrypt([other], 'webhook:1', sealed), /another SECRET_KEY/);
    assert.throws(() => decrypt([key], 'webhook:2', sealed), altered);
    assert.throws(() => decrypt([key], '', sealed), altered);
  });

  it('decryption finds the key among several by its id in the bytes', () => {
    assert.equal(decrypt([other, key], 'webhook:1', encrypt(key, 'webhook:1', 'secret')), 'secret');
    assert.throws(() => decrypt([], 'webhook:1', encrypt(key, 'webhook:1', 'secret')), /another SECRET_KEY/);
  });

  it('decryption refuses changed, missing or added bytes', () => {
    const sealed = encrypt(key, 'webhook:1', 'whsec_0123456789');
    const faultAt = (index: number) => {
      if (index === 0) return /unknown encryption format/;
      return index < 5 ? /another SECRET_KEY/ : altered;
    };
    for (let index = 0; index < sealed.length; index += 1) {
      for (const bit of [1, 128]) {
        const broken = Buffer.from(sealed);
        broken[index] = (broken[index] as number) ^ bit;
        assert.throws(() => decrypt([key], 'webhook:1', broken), faultAt(index), `byte ${index}`);
      }
      const pattern = index < 33 ? /unknown encryption format/ : altered;
      assert.throws(() => decrypt([key], 'webhook:1', sealed.subarray(0, index)), pattern, `cut at ${index}`);
    }
    assert.throws(() => decrypt([key], 'webhook:1', Buffer.concat([sealed, Buffer.from([0])])), altered);
  });
});

describe('cachingDecrypter', () => {
  it('cached decryption returns each text for its own bytes and context only', () => {
    const decryptCached = cachingDecrypter([key], 2);
    const sealed = ['1', '2', '3'].map((name) => encrypt(key, `webhook:${name}`, `secret ${name}`));
    for (let round = 0; round < 3; round += 1) {
      for (const [index, bytes] of sealed.entries()) {
        const text = () => decryptCached(`webhook:${index + 1}`, bytes);
        assert.equal(text(), `secret ${index + 1}`);
        assert.equal(text(), `secret ${index + 1}`);
        assert.throws(() => decryptCached('webhook:4', bytes), altered);
        assert.throws(() => decryptCached(`webhook:${index + 1}x`, bytes.subarray(1)), /unknown encryption format/);
      }
    }
  });

  it('cached decryption refuses changed bytes of a text that it knows', () => {
    const decryptCached = cachingDecrypter([key]);
    const sealed = encrypt(key, 'webhook:1', 'secret');
    assert.equal(decryptCached('webhook:1', sealed), 'secret');
    const broken = Buffer.from(sealed);
    broken[sealed.length - 1] = (broken[sealed.length - 1] as number) ^ 1;
    assert.throws(() => decryptCached('webhook:1', broken), altered);
    assert.throws(() => cachingDecrypter([other])('webhook:1', sealed), /another SECRET_KEY/);
  });
});
