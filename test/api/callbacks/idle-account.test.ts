import assert from 'node:assert/strict';
import twilio from 'twilio';
import { rows } from '../../support/database.js';
import { nowhere } from '../../support/carriers/counterpart.js';
import { twilioAccount, twilioEnv } from '../../support/carriers/twilio.js';
import { buildSent } from '../../support/rows/messages.js';
import { useApi } from '../use-api.js';

describe('a callback of a carrier that serves no channel any more', () => {
  const idle = { PROVIDER_SMS: 'sandbox', PROVIDER_WHATSAPP: 'sandbox', PROVIDER_ACCOUNTS: 'old=twilio' };
  const app = useApi({ env: { ...twilioEnv(nowhere), ...idle } });
  const post = async (name: string, form: Record<string, string>) => {
    const path = `/callbacks/${name}`;
    const signature = twilio.getExpectedTwilioSignature(twilioAccount.token, `${app.deps.config.publicUrl}${path}`, form);
    const headers = { 'X-Twilio-Signature': signature, 'Content-Type': 'application/x-www-form-urlencoded' };
    return (await app.call('POST', path, { body: new URLSearchParams(form).toString(), headers })).status;
  };

  const sentByTwilio = async () => {
    const { workspaceId } = await app.account();
    const message = await buildSent(app.deps.db, workspaceId);
    await rows(app.deps.db, `UPDATE messages SET provider = 'twilio', provider_message_id = 'SM' || id WHERE id = $1`, [message.id]);
    return message;
  };

  it('200 for a report of a carrier that serves no channel any more, about a message that was sent before', async () => {
    const { id } = await sentByTwilio();
    assert.equal(await post('twilio', { MessageSid: `SM${id}`, MessageStatus: 'delivered' }), 200);
    assert.deepEqual(app.calls, [`wake msg:${id}`]);
    assert.equal(await post('old', { MessageSid: 'SM2', MessageStatus: 'delivered' }), 200, 'a named account stays, too');
  });

  it('204 for STOP from a carrier that serves no channel any more, and the recipient is opted out', async () => {
    const { workspace_id, to } = await sentByTwilio();
    const stop = { MessageSid: 'SM3', SmsStatus: 'received', From: to, To: twilioAccount.from, Body: 'STOP' };
    assert.equal(await post('twilio', stop), 204);
    const suppressed = await rows(app.deps.db, 'SELECT reason FROM suppressions WHERE workspace_id = $1', [workspace_id]);
    assert.deepEqual(suppressed, [{ reason: 'opt_out' }]);
  });
});
