import assert from 'node:assert/strict';
import { sendBody } from '../../../api/endpoints/messages/message-schemas.js';
import { ignoredFieldsHeader, unknownFields } from '../../../api/http/schemas/unknown-fields.js';

describe('a body with thousands of unknown fields', () => {
  it('is compared with the known fields for its first hundred, more than the header names', () => {
    const given = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x${index}`, 1]));
    const { ignored, faults } = unknownFields(sendBody, given);
    assert.deepEqual([ignored.length, ignored[99], faults], [100, 'x99', []]);
    assert.equal(ignoredFieldsHeader(ignored)['Ignored-Fields']?.split(', ').length, 21);
  });
});
