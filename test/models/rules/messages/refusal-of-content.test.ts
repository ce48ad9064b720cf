import assert from 'node:assert/strict';
import { refusalOfContent } from '../../../../models/rules/messages/refusal-of-content.js';

describe('the placeholders of a content', () => {
  it('placeholders are counted in all texts before anything is rendered', () => {
    const content = { text: '{{a}}{{b}}', template: { variables: { 1: '{{c}}' }, buttons: [{ suffix: '{{d}}', index: 1 }] }, html: null };
    assert.equal(refusalOfContent(content, 4), undefined);
    assert.equal(refusalOfContent(content, 3)?.code, 'limit_reached');
  });
});
