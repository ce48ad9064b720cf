import assert from 'node:assert/strict';
import { optIn, optOut } from '../../../support/rows/opt-requests.js';
import { rows } from '../../../support/database.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { buildWorkspace } from '../../../support/rows/factories.js';
import { buildSent } from '../../../support/rows/messages.js';
import { suppressionsOf } from './suppressions-of.js';

const phone = '+15551234567';
const email = { channel: 'email', to: 'ada@example.com' } as const;
const complaint = {
  channel: 'email',
  recipient: 'ada@example.com',
  reason: 'complaint',
  source: 'provider',
  message_id: null,
  provider_message_id: null,
} as const;
const ofSandbox = { ...complaint, provider: 'sandbox' };

describe('a complaint', () => {
  const test = workspaceForEach();

  const listed = (id = test.workspaceId) => suppressionsOf(test.db, id);

  it('a complaint suppresses in the workspace of the mail, once', async () => {
    const other = await buildWorkspace(test.db);
    await buildSent(test.db, other.id, email);
    const { id, provider_message_id } = await buildSent(test.db, test.workspaceId, email);
    await optOut(test.db, { ...ofSandbox, message_id: 'no id of ours', provider_message_id });
    assert.deepEqual([await listed(), await listed(other.id)], [['email ada@example.com complaint provider'], []]);
    await optOut(test.db, { ...ofSandbox, message_id: id });
    assert.equal((await listed()).length, 1);
  });

  it("a complaint suppresses nobody if it names another account's message, or one of another channel", async () => {
    const mail = await buildSent(test.db, test.workspaceId, email);
    const text = await buildSent(test.db, test.workspaceId, { to: phone });
    const recipient = 'bob@example.com'; // nobody has written to it
    await optOut(test.db, { ...complaint, recipient, provider: 'another', message_id: mail.id });
    await optOut(test.db, { ...ofSandbox, recipient, message_id: text.id });
    assert.deepEqual(await listed(), []);
  });

  it('a complaint suppresses the recipient of a mail that another account sent after the first', async () => {
    const { id } = await buildSent(test.db, test.workspaceId, email);
    await rows(test.db, "UPDATE messages SET provider = 'second' WHERE id = $1", [id]);
    await optOut(test.db, { ...ofSandbox, message_id: id });
    assert.deepEqual(await listed(), ['email ada@example.com complaint provider']);
  });

  it('a complaint after an opt-out stays after a new subscription', async () => {
    const { id } = await buildSent(test.db, test.workspaceId, email);
    const ofMail = { ...ofSandbox, message_id: id };
    await optOut(test.db, { ...ofMail, reason: 'opt_out' });
    await optOut(test.db, ofMail);
    await optIn(test.db, ofMail);
    assert.deepEqual(await listed(), ['email ada@example.com complaint provider']);
  });

  it('an opt-out after a complaint leaves the complaint on the list', async () => {
    const { id } = await buildSent(test.db, test.workspaceId, email);
    const ofMail = { ...ofSandbox, message_id: id };
    await optOut(test.db, ofMail);
    await optOut(test.db, { ...ofMail, reason: 'opt_out', source: 'unsubscribe' });
    assert.deepEqual(await listed(), ['email ada@example.com complaint provider']);
  });
});

describe('the unsubscribe link', () => {
  const test = workspaceForEach();

  for (const [what, sources] of [
    ['alone', ['unsubscribe']],
    ['after an opt-out that a carrier reported', ['provider', 'unsubscribe']],
    ['before an opt-out that a carrier reported', ['unsubscribe', 'provider']],
  ] as const) {
    it(`an opt-out by the unsubscribe link stays after a new subscription at the carrier: ${what}`, async () => {
      const { id } = await buildSent(test.db, test.workspaceId, email);
      const ofMail = { ...ofSandbox, message_id: id };
      for (const source of sources) await optOut(test.db, { ...ofMail, reason: 'opt_out', source });
      await optIn(test.db, { ...ofMail, source: 'provider' });
      assert.deepEqual(await suppressionsOf(test.db, test.workspaceId), ['email ada@example.com opt_out unsubscribe']);
    });
  }
});
