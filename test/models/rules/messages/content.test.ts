import assert from 'node:assert/strict';
import { contentOn } from '../../../../models/rules/messages/content.js';

describe('the content of a message', () => {
  it('a content has only the fields of its channel', () => {
    const content = { text: 'Hello', subject: 'S', html: '<p>H</p>', template: { name: 'hello', language: 'en' } };
    assert.deepEqual(contentOn('sms', content), { text: 'Hello' });
    assert.deepEqual(contentOn('email', content), { text: 'Hello', subject: 'S', html: '<p>H</p>' });
    assert.deepEqual(contentOn('whatsapp', content), { text: 'Hello', template: content.template });
    assert.deepEqual(contentOn('whatsapp', { text: 'Hello' }), { text: 'Hello' });
  });
});
