import assert from 'node:assert/strict';
import { hard, lookUp, soft } from '../../../../models/rules/failures/provider-failure.js';
import { smtpCodeOf } from '../../../../models/rules/failures/smtp.js';

const unknown = { code: 'undeliverable', isPermanent: false };

describe("a provider's failure", () => {
  const table = { '1': hard('30008'), '2': soft('30006') };
  it('a failure of a provider has our code, and is permanent or not', () => {
    assert.deepEqual(
      [lookUp(table, '1'), lookUp(table, '2')],
      [
        { code: '30008', isPermanent: true },
        { code: '30006', isPermanent: false },
      ],
    );
  });
  it('a failure without a code, or with one that is not in the table, is undeliverable for now', () => {
    for (const code of [null, '', '3', 'constructor', '__proto__']) assert.deepEqual(lookUp(table, code), unknown, String(code));
  });
});

describe('the code in a reply of a mail server', () => {
  for (const [reply, code] of [
    ['550 5.1.1 no such user', '5.1.1'],
    ['550-5.1.10 no mail', '5.1.10'],
    ['550 5.9.9 an unknown enhanced code', '550'],
    ['550 5.1.1000 no code', '550'],
    ['452 mailbox full', '452'],
    ['554', ''],
    ['a 550 5.1.1', ''],
    ['5501 5.1.1', ''],
    ['', ''],
  ] as const)
    it(`the code of a mail server is ${JSON.stringify(code)} in ${JSON.stringify(reply)}`, () => assert.equal(smtpCodeOf(reply), code));
});
