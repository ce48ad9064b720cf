import assert from 'node:assert/strict';
import { type Script, scriptFor } from '../../../../models/rules/messages/sandbox-recipients.js';

/** docs/contract/messages.md, The sandbox by hand: hand-off, and the reports in the order in which they are posted. */
const table: [recipient: string, handoff: string, reports: string][] = [
  ['+15551234567', 'taken', 'delivered'],
  ['+15005550000', 'taken', 'delivered'],
  ['+15005550001', 'refused 30008', ''],
  ['+15005550002', 'taken', ''],
  ['+15005550003', 'unavailable 2', 'delivered'],
  ['+15005550006', 'taken', 'failed 30006'],
  ['+15005550007', 'taken', 'failed 30007'],
  ['+15005550008', 'taken', 'failed 30008'],
  ['+15005550034', 'taken', 'failed 30034'],
  ['anybody@example.test', 'taken', 'delivered'],
  ['refused@example.test', 'refused 30008', ''],
  ['Refused@Other.test', 'refused 30008', ''],
  ['bounce@example.test', 'taken', 'failed 30006'],
  ['silent@example.test', 'taken', ''],
  ['flaky@example.test', 'unavailable 2', 'delivered'],
  ['notrefused@example.test', 'taken', 'delivered'],
  ['constructor@example.test', 'taken', 'delivered'],
  ['__proto__@example.test', 'taken', 'delivered'],
];

function handoffOf({ refused, unavailable }: Script): string {
  if (refused !== undefined) return `refused ${refused}`;
  return unavailable === undefined ? 'taken' : `unavailable ${unavailable}`;
}

describe('scriptFor', () => {
  for (const [to, handoff, reports] of table) {
    it(`the sandbox answers for ${to}: ${handoff}, then ${reports === '' ? 'no report' : reports}`, () => {
      const script = scriptFor(to.includes('@') ? 'email' : 'sms', to);
      assert.equal(handoffOf(script), handoff);
      assert.equal(script.reports.length, reports === '' ? 0 : 1);
      assert.equal(script.reports.map(({ status, error_code }) => [status, error_code].filter(Boolean).join(' ')).join(), reports);
    });
  }

  it('the sandbox reads a WhatsApp message after its delivery, and treats special numbers as for SMS', () => {
    assert.deepEqual(
      scriptFor('whatsapp', '+15551234567').reports.map(({ status, step }) => [status, step]),
      [
        ['delivered', 1],
        ['read', 2],
      ],
    );
    for (const [to] of table.slice(2, 9)) assert.deepEqual(scriptFor('whatsapp', to), scriptFor('sms', to));
  });

  it('the sandbox reports for +15005550005 doubled and out of order, among them delivered', () => {
    const statuses = scriptFor('sms', '+15005550005').reports.map(({ status }) => status);
    assert.equal(statuses[0], 'delivered', 'before sent');
    assert.ok(statuses.filter((status) => status === 'delivered').length > 1 && statuses.filter((status) => status === 'sent').length > 1);
    assert.ok(!statuses.includes('failed'));
  });
});
