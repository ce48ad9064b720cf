import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { rows } from '../../support/database.js';
import { adminText } from '../../support/run-admin.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

/** Moves the cursor up, deletes that line, turns the writing direction, and writes a line that looks like another workspace. */
const hostile = `Evil\u001b[1A\u001b[2K\r\u202e\u009b1A\n${uuidv7()}  Honest Company\u2028x`;
const shown = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}]+/gu, ' ');

describe('names that users chose in the output of operator commands', () => {
  const app = useApi();
  let account: Account;
  let keyId: string;
  let messageId: string;
  before(async () => {
    account = await app.account();
    const { workspaceId, jwt, key } = account;
    const named = await app.call('POST', '/api/v1/api-keys', { jwt, body: { name: hostile } });
    keyId = named.body.data.id;
    const content = { channel: 'sms', to: '+15551234567', content: { text: 'x' } };
    messageId = (await app.call('POST', '/api/v1/messages/send', { key, body: content })).body.data.message.id;
    await rows(app.deps.db, 'UPDATE workspaces SET name = $2 WHERE id = $1', [workspaceId, hostile]);
    await rows(app.deps.db, `UPDATE messages SET error_code = '30008', error_message = $2 WHERE id = $1`, [messageId, hostile]);
  });

  const commands: [string, (ids: { workspaceId: string; keyId: string; messageId: string }) => string[]][] = [
    ['workspace find', ({ workspaceId }) => [workspaceId]],
    ['keys find', (ids) => [ids.keyId]],
    ['message', (ids) => [ids.messageId]],
    ['suspend', ({ workspaceId }) => [workspaceId, '--reason', 'x']],
    ['resume', ({ workspaceId }) => [workspaceId]],
    ['workspace credit', ({ workspaceId }) => [workspaceId, '5', '--reason', 'x']],
    ['workspace take-credits', ({ workspaceId }) => [workspaceId, '5', '--reason', 'x']],
    ['workspace end-sessions', ({ workspaceId }) => [workspaceId, '--reason', 'x']],
    ['totp remove', ({ workspaceId }) => [workspaceId, '--reason', 'x']],
    ['unsuppress', ({ workspaceId }) => [workspaceId, 'sms', '+15551234567']],
    ['keys revoke', (ids) => [ids.keyId, '--reason', 'x']],
    ['workspace close', ({ workspaceId }) => [workspaceId, '--confirm', 'x@example.com']],
  ];
  for (const [name, argumentsOf] of commands) {
    it(`${name} shows a name with control characters on one line and without them`, async () => {
      const ids = { workspaceId: account.workspaceId, keyId, messageId };
      const out = await adminText(app.deps, ...name.split(' '), ...argumentsOf(ids));
      assert.ok(out.includes(shown(hostile)), out);
      assert.doesNotMatch(out, /[^\P{Cc}\n]|\p{Cf}|\p{Zl}/u);
    });
  }
});
