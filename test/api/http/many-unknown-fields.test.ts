import assert from 'node:assert/strict';
import { sendBody } from '../../../api/endpoints/messages/message-schemas.js';
import { ignoredFieldsHeader, ignoredFieldsIn } from '../../../api/http/ignored-fields.js';
import { unknownFields } from '../../../api/http/schemas/unknown-fields.js';

describe('a body with thousands of unknown fields', () => {
  it('the first hundred unknown fields of a body are compared with known ones, more than the header names', () => {
    const given = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x${index}`, 1]));
    const { ignored, faults } = unknownFields(sendBody, given);
    assert.deepEqual([ignored.length, ignored[99], faults], [100, 'x99', []]);
    assert.equal(ignoredFieldsHeader(ignored)['Ignored-Fields']?.split(', ').length, 21);
  });
  it('the header with ignored fields has at most 1,000 bytes, because nginx accepts four kilobytes in all', () => {
    const ignored = Array.from({ length: 20 }, (_, index) => `${index}${'名'.repeat(100)}`);
    const header = ignoredFieldsHeader(ignored)['Ignored-Fields'] ?? '';
    assert.ok(header.length > 500 && header.length <= 1000, `${header.length} bytes`);
    assert.match(header, /^0%E5.*, \.\.\.$/);
    assert.deepEqual(ignoredFieldsIn({ 'Ignored-Fields': header }), [`0${'名'.repeat(63)}`]);
  });
});
