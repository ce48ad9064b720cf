/** Inputs that cost a backtracking expression the square of their length. */
import type { IncomingMessage } from 'node:http';
import { endpoints } from '../../../api/endpoints/index.js';
import { createClientAddress } from '../../../api/http/client-address.js';
import { createRouteHints } from '../../../api/http/errors/route-hints.js';
import { notFound } from '../../../models/errors.js';
import { plainName } from '../../../models/rules/accounts/plain-name.js';
import { keywordOf } from '../../../models/rules/contacts/keywords.js';
import { smtpFailureOf } from '../../../models/rules/failures/smtp.js';
import { maskAddresses } from '../../../models/rules/values/mask.js';
import { assertLinear } from '../../support/measure/cpu-cost.js';

const addressOf = createClientAddress(['127.0.0.1']);
const explain = createRouteHints(endpoints);
const socket = { remoteAddress: '127.0.0.1' };
const forwarded = (list: string) => addressOf({ headers: { 'x-forwarded-for': list }, socket } as unknown as IncomingMessage);
const unknown = (path: string) => explain(notFound(), 'GET', path);
const masked = (text: string) => maskAddresses(text, '+15551234567');
const refused = (text: string) => smtpFailureOf('RCPT TO', `550 5.7.1 ${text}`);
const maskedFor = (recipient: string) => (text: string) => maskAddresses(text, recipient);

const inputs: [what: string, use: (text: string) => unknown, of: (length: number) => string][] = [
  ['digits in X-Forwarded-For', forwarded, (length) => '1'.repeat(length)],
  ['dots in X-Forwarded-For', forwarded, (length) => '1.'.repeat(length / 2)],
  ['brackets in X-Forwarded-For', forwarded, (length) => '['.repeat(length)],
  ['colons in X-Forwarded-For', forwarded, (length) => ':'.repeat(length)],
  ['commas in X-Forwarded-For', forwarded, (length) => ','.repeat(length)],
  ['proxies in X-Forwarded-For', forwarded, (length) => '127.0.0.1,'.repeat(length / 10)],
  ['slashes in an unknown path', unknown, (length) => `${'/'.repeat(length)}x`],
  ['a long word in an unknown path', unknown, (length) => `/api/v1/message/${'a'.repeat(length)}/b`],
  ['signs in an answer of a recipient', keywordOf, (length) => `${'!'.repeat(length)}x`],
  ['quotes in an answer of a recipient', keywordOf, (length) => `${'"'.repeat(length)}x`],
  ['a long word in a mail', plainName, (length) => 'a'.repeat(length)],
  ['a long word in the report of a carrier', masked, (length) => 'a'.repeat(length)],
  ['dots in the report of a carrier', masked, (length) => 'a.'.repeat(length / 2)],
  ['encoded signs in the report of a carrier', masked, (length) => '%40a'.repeat(length / 4)],
  ['a word that is repeated in the reply of a mail server', refused, (length) => `${'SendAsDenied'.repeat(length / 12)}@`],
  ['a report on a recipient like an expression', maskedFor('+e.*.*.*.*.*@example.com'), (length) => 'e'.repeat(length)],
  ['a report with the start of a recipient', maskedFor(`${'!'.repeat(63)}x@example.com`), (length) => '!'.repeat(length)],
];

describe('the worst input', () => {
  for (const [what, use, of] of inputs) {
    it(`the worst input costs time in proportion to its length: ${what}`, () => assertLinear(use, of));
  }
});
