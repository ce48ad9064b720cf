import assert from 'node:assert/strict';
import { issuePreviewToken, readPreviewToken } from '../../../api/mcp/preview-token.js';

const keys: [string, string] = ['new'.padEnd(32, 'x'), 'old'.padEnd(32, 'x')];
const previewed = { workspaceId: 'one', message: { to: '+15551234567', content: { text: 'Hello', subject: 'A' } } };
const now = 1_795_000_000_000;
const reads = (token: unknown, other: Partial<typeof previewed> = {}, at = now) =>
  readPreviewToken(keys, token, { ...previewed, ...other }, at);

describe('the token of a preview', () => {
  it('the token of a preview holds ten minutes for the same fields in any order, also with a former secret key', () => {
    for (const first of keys) {
      const token = issuePreviewToken([first], previewed, now);
      const reordered = { content: { subject: 'A', text: 'Hello' }, to: '+15551234567' };
      assert.equal(reads(token, { message: reordered }, now + 600_000), token.split('.')[1]);
    }
  });

  it('each preview has another token', () => {
    assert.notEqual(reads(issuePreviewToken(keys, previewed, now)), reads(issuePreviewToken(keys, previewed, now)));
  });

  it('the token of a preview is refused if it is altered, expired, or of another message or workspace', () => {
    const token = issuePreviewToken(keys, previewed, now);
    const [expiresAt = '', id = '', mac = ''] = token.split('.');
    const later = (Number.parseInt(expiresAt, 36) + 1).toString(36);
    for (const wrong of [undefined, null, 7, '', 'a.b.c', `${later}.${id}.${mac}`, `${expiresAt}.${'A'.repeat(16)}.${mac}`]) {
      assert.throws(() => reads(wrong), { code: 'validation_failed' }, String(wrong));
    }
    assert.throws(() => reads(token, { workspaceId: 'two' }), /does not belong to a preview of this message/);
    assert.throws(
      () => reads(token, { message: { ...previewed.message, to: '+15551234568' } }),
      /does not belong to a preview of this message/,
    );
    assert.throws(() => reads(token, {}, now + 600_001), /older than 10 minutes/);
    assert.throws(() => readPreviewToken(['third'.padEnd(32, 'x')], token, previewed, now), /does not belong to a preview of this message/);
  });
});
