import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { readSandboxCallback, type SandboxReport, signSandboxCallback } from '../../../../models/rules/callbacks/sandbox.js';

const key = 'secret-key-secret-key-secret-key';
const now = new Date('2027-01-01T00:00:00.000Z');
const report: SandboxReport = {
  id: uuidv7(),
  reference: uuidv7(),
  status: 'failed',
  error_code: '30006',
  occurred_at: '2026-12-31T23:59:59.123Z',
};
const bodyOf = (...reports: unknown[]) => JSON.stringify({ reports });
const forbidden = { code: 'forbidden', message: 'Invalid signature' };

describe('the sandbox callback', () => {
  /** What arrives: header names in small letters, the body as bytes. */
  const arriving = (body: string, at = now) => {
    const headers = Object.fromEntries(
      Object.entries(signSandboxCallback(key, body, at)).map(([name, value]) => [name.toLowerCase(), value]),
    );
    return { headers, body: Buffer.from(body) };
  };
  const read = ({ headers, body }: { headers: Record<string, string | string[] | undefined>; body: Buffer }, at = now) =>
    readSandboxCallback([key], { headers, body, at });

  it('the sandbox callback accepts a signed body', () => {
    assert.deepEqual(read(arriving(bodyOf(report))), [
      {
        kind: 'report',
        provider: 'sandbox',
        provider_message_id: report.id,
        status: 'failed',
        message_id: report.reference,
        error_code: '30006',
        is_permanent: false,
        provider_error_code: '30006',
        occurred_at: new Date(report.occurred_at),
        raw: JSON.stringify(report),
      },
    ]);
    assert.deepEqual(read(arriving(bodyOf())), []);
    assert.equal(read(arriving(bodyOf(report, { ...report, status: 'delivered', error_code: null }))).length, 2);
  });

  it('the sandbox callback refuses a body that differs from the signed one', () => {
    const { headers } = arriving(bodyOf(report));
    for (const body of [bodyOf(), `${bodyOf(report)} `, '', bodyOf({ ...report, status: 'delivered' })]) {
      assert.throws(() => read({ headers, body: Buffer.from(body) }), forbidden);
    }
  });

  it('the sandbox callback refuses a missing or wrong signature and another timestamp', () => {
    const { headers, body } = arriving(bodyOf(report));
    const signature = headers['x-sandbox-signature'] as string;
    const foreign = signSandboxCallback('another key', bodyOf(report), now)['X-Sandbox-Signature'] as string;
    for (const forged of [undefined, '', signature.slice(1), `${signature}0`, signature.toUpperCase(), foreign, [signature, signature]]) {
      assert.throws(() => read({ headers: { ...headers, 'x-sandbox-signature': forged }, body }), forbidden, String(forged));
    }
    for (const timestamp of [undefined, '', '0', 'NaN', String(Number(headers['x-sandbox-timestamp']) + 1)]) {
      assert.throws(() => read({ headers: { ...headers, 'x-sandbox-timestamp': timestamp }, body }), forbidden, String(timestamp));
    }
  });

  it('the sandbox callback refuses a replay after five minutes, and a signature of the future', () => {
    const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
    for (const seconds of [-300, -299, 0, 299, 300]) assert.equal(read(arriving(bodyOf(report), at(seconds))).length, 1, `${seconds} s`);
    for (const seconds of [-302, -86_400, 302, 86_400])
      assert.throws(() => read(arriving(bodyOf(report), at(seconds))), forbidden, `${seconds} s`);
  });

  it('the sandbox callback refuses a signed timestamp that is no number', () => {
    const body = bodyOf(report);
    const { 'X-Sandbox-Signature': signature } = signSandboxCallback(key, body, new Date(Number.NaN));
    assert.throws(
      () => read({ headers: { 'x-sandbox-timestamp': 'NaN', 'x-sandbox-signature': signature }, body: Buffer.from(body) }),
      forbidden,
    );
  });

  for (const [what, body] of [
    ['no JSON', '{'],
    ['no object', '[]'],
    ['no reports', '{}'],
    ['a report without an id', bodyOf({ ...report, id: undefined })],
    ['an id that is none of ours', bodyOf({ ...report, reference: '1; DROP TABLE' })],
    ['an unknown status', bodyOf({ ...report, status: 'queued' })],
    ['a time that is none', bodyOf({ ...report, occurred_at: 'yesterday' })],
    ['an unknown field', bodyOf({ ...report, more: 1 })],
    ['too many reports', bodyOf(...Array.from({ length: 1_001 }, () => report))],
  ] as const) {
    it(`the sandbox callback refuses a signed body with ${what} as 400`, () => {
      assert.throws(() => read(arriving(body)), { code: 'validation_failed' });
    });
  }
});
