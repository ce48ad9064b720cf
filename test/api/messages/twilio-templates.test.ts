import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';

describe('content.template where only Twilio carries WhatsApp', () => {
  const app = useApi({
    env: {
      PROVIDER_WHATSAPP: 'eu',
      PROVIDER_ACCOUNTS: 'eu=twilio',
      TWILIO_ACCOUNT_SID: 'AC0',
      TWILIO_AUTH_TOKEN: 'token',
      TWILIO_WHATSAPP_FROM: '+15005550100',
    },
  });
  let key: string;
  before(async () => {
    key = (await app.account()).key;
  });

  it('400 for separate header and button values where only Twilio carries WhatsApp, and nothing is charged', async () => {
    const template = { name: `HX${'1'.repeat(32)}`, language: 'en' };
    const error = (part: string) => `content.template.${part} cannot be sent by eu: its values belong in content.template.variables`;
    for (const [part, value] of [
      ['header', { type: 'text', text: 'Sale' }],
      ['buttons', [{ index: 0, type: 'url', suffix: 'a' }]],
    ] as const) {
      const content = { text: 'Hello', template: { ...template, [part]: value } };
      const whatsapp = { to: '+15551234567', channel: 'whatsapp', content };
      const bulk = { channel: 'whatsapp', content, recipients: ['+15551234567'] };
      const asFallback = { to: '+15551234567', channel: 'sms', content, fallback: [{ channel: 'whatsapp', after: 60 }] };
      for (const [path, body] of [
        ['send', whatsapp],
        ['send', asFallback],
        ['bulk', bulk],
        ['preview', whatsapp],
        ['preview', bulk],
      ] as const) {
        const answer = await app.call('POST', `/api/v1/messages/${path}`, { key, body });
        assert.deepEqual([answer.status, answer.body.error], [400, error(part)], path);
        assert.deepEqual(answer.body.details, [{ field: `content.template.${part}`, message: error(part) }]);
      }
      assert.equal((await app.call('POST', '/api/v1/messages/send', { key, body: { ...whatsapp, channel: 'sms' } })).status, 201);
    }
    assert.deepEqual((await rows(app.deps.db, `SELECT 1 FROM messages WHERE channel = 'whatsapp'`)).length, 0);
  });
});
