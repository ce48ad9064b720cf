import assert from 'node:assert/strict';
import { optIn, optOut } from '../../../support/rows/opt-requests.js';
import { suppress } from '../../../../models/operations/contacts/suppress.js';
import { digestOf } from '../../../../models/rules/contacts/erasure.js';
import { otherSpellingInSql, phoneSpellings } from '../../../../models/rules/values/phone.js';
import { rows } from '../../../support/database.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { buildQueued } from '../../../support/rows/factories.js';
import { buildSent, claimAll, sandboxEverywhere, statusOf } from '../../../support/rows/messages.js';

describe('STOP from a number that the carrier writes in another way', () => {
  const test = workspaceForEach();
  const listed = async () =>
    (await rows<{ recipient: string }>(test.db, 'SELECT recipient FROM suppressions WHERE workspace_id = $1', [test.workspaceId])).map(
      ({ recipient }) => recipient,
    );
  const byText = { reason: 'opt_out', source: 'inbound', message_id: null, provider_message_id: null } as const;

  for (const [country, to, author] of [
    ['Mexico', '+525512345678', '+5215512345678'],
    ['Argentina', '+541123456789', '+5491123456789'],
    ['Brazil', '+5561987654321', '+556187654321'],
  ] as const) {
    it(`STOP holds for both ways of writing a number, until START: ${country}`, async () => {
      const isRefused = async (number: string) => {
        const { id, group_id } = await buildQueued(test.db, test.workspaceId, { channel: 'whatsapp', to: number });
        await claimAll(test.db, group_id, sandboxEverywhere);
        return (await statusOf(test.db, id)) === 'failed/suppressed';
      };
      await buildSent(test.db, test.workspaceId, { channel: 'whatsapp', to });
      const sender = { provider: 'sandbox', channel: 'whatsapp', recipient: author } as const;
      await optOut(test.db, { ...sender, ...byText });
      assert.deepEqual([await isRefused(to), await isRefused(author)], [true, true]);
      await optIn(test.db, sender);
      assert.deepEqual([await isRefused(to), await isRefused(author)], [false, false]);
    });

    it(`STOP is stored as the workspace wrote the number, until START: ${country}`, async () => {
      await buildSent(test.db, test.workspaceId, { channel: 'whatsapp', to });
      const sender = { provider: 'sandbox', channel: 'whatsapp', recipient: author } as const;
      await optOut(test.db, { ...sender, ...byText });
      assert.deepEqual(await listed(), [to]);
      await optIn(test.db, sender);
      assert.deepEqual(await listed(), []);
    });
  }

  it('PostgreSQL knows the same other way of writing a number', async () => {
    for (const phone of [
      '+525512345678',
      '+541123456789',
      '+5561987654321',
      '+15551234567',
      '+525512',
      '+5561187654321',
      '+52551234567890',
    ]) {
      for (const [one, other] of [phoneSpellings(phone), phoneSpellings(phone).toReversed()]) {
        const [row] = await rows<{ other: string | null }>(test.db, `SELECT ${otherSpellingInSql('$1::text')} AS other`, [one]);
        assert.equal(row?.other, other ?? null, one);
      }
    }
  });

  it('STOP of an erased recipient is stored as a digest of the recipient', async () => {
    const digest = (recipient: string) => digestOf(Buffer.alloc(32), recipient);
    const to = '+525512345678';
    const { id } = await buildSent(test.db, test.workspaceId, { channel: 'whatsapp', to });
    await rows(test.db, 'UPDATE messages SET "to" = $2 WHERE id = $1', [id, digest(to)]);
    await optOut(test.db, { provider: 'sandbox', channel: 'whatsapp', recipient: '+5215512345678', ...byText });
    assert.deepEqual(await listed(), [digest(to)]);
  });

  it('a suppression of an erased recipient holds for both ways of writing the number', async () => {
    const key = Buffer.alloc(32);
    const digest = (recipient: string) => digestOf(key, recipient);
    await rows(
      test.db,
      `INSERT INTO suppressions (id, workspace_id, channel, recipient, reason, source) VALUES (gen_random_uuid(), $1, 'whatsapp', $2, 'manual', 'api')`,
      [test.workspaceId, digest('+525512345678')],
    );
    const { id, group_id } = await buildQueued(test.db, test.workspaceId, { channel: 'whatsapp', to: '+5215512345678' });
    await claimAll(test.db, group_id, sandboxEverywhere, { erasureKey: key });
    assert.equal(await statusOf(test.db, id), 'failed/suppressed');
  });
});

describe('an opt-out without a message', () => {
  const test = workspaceForEach();

  for (const [to, author] of [
    ['Ada@Example.com', 'ada@example.com'],
    ['ada@example.com', 'ADA@example.com'],
  ] as const) {
    it(`an opt-out without a message is stored in lower case: ${to} by ${author}`, async () => {
      await buildSent(test.db, test.workspaceId, { channel: 'email', to });
      const complaint = { provider: 'sandbox', channel: 'email', recipient: author, reason: 'complaint', source: 'provider' } as const;
      await optOut(test.db, { ...complaint, message_id: null, provider_message_id: null });
      const found = await rows<{ recipient: string }>(test.db, 'SELECT recipient FROM suppressions WHERE workspace_id = $1', [
        test.workspaceId,
      ]);
      assert.deepEqual(found, [{ recipient: 'ada@example.com' }]);
    });
  }

  it('the entry of the workspace stays also if a process of the former version stores an opt-out', async () => {
    const recipient = '+15557770003';
    const own = { workspace_id: test.workspaceId, channel: 'sms', recipient, reason: 'manual', source: 'api' } as const;
    await suppress(test.db, [own]);
    const asBefore = `
      INSERT INTO suppressions AS s (id, workspace_id, channel, recipient, reason, source)
      VALUES (gen_random_uuid(), $1, 'sms', $2, 'opt_out', 'inbound')
      ON CONFLICT (workspace_id, channel, recipient) DO UPDATE SET reason = excluded.reason, source = excluded.source`;
    for (let time = 1; time <= 2; time += 1) await rows(test.db, asBefore, [test.workspaceId, recipient]);
    const reasons = await rows(test.db, 'SELECT reason FROM suppressions WHERE workspace_id = $1 ORDER BY reason', [test.workspaceId]);
    assert.deepEqual(reasons, [{ reason: 'manual' }, { reason: 'opt_out' }]);
  });

  it('an opt-out without a message stores nothing of the recipient in a closed workspace, which cannot send', async () => {
    const to = '+15557770002';
    const { id } = await buildSent(test.db, test.workspaceId, { to });
    await rows(test.db, 'UPDATE workspaces SET closed_at = now() WHERE id = $1', [test.workspaceId]);
    const stop = { provider: 'sandbox', channel: 'sms', recipient: to, reason: 'opt_out', source: 'inbound' } as const;
    for (const message_id of [null, id]) await optOut(test.db, { ...stop, message_id, provider_message_id: null });
    assert.deepEqual(await rows(test.db, 'SELECT 1 FROM suppressions WHERE workspace_id = $1', [test.workspaceId]), []);
  });

  it('an opt-out holds for a recipient with erased and newer messages, whose next message fails', async () => {
    const key = Buffer.alloc(32);
    const digest = (recipient: string) => digestOf(key, recipient);
    const to = '+15557770001';
    const { id } = await buildSent(test.db, test.workspaceId, { to });
    await rows(test.db, 'UPDATE messages SET "to" = $2 WHERE id = $1', [id, digest(to)]);
    await buildSent(test.db, test.workspaceId, { to });
    const stop = { provider: 'sandbox', channel: 'sms', recipient: to, reason: 'opt_out', source: 'inbound', key } as const;
    await optOut(test.db, { ...stop, message_id: null, provider_message_id: null });
    const next = await buildQueued(test.db, test.workspaceId, { to });
    await claimAll(test.db, next.group_id, sandboxEverywhere, { erasureKey: key });
    assert.equal(await statusOf(test.db, next.id), 'failed/suppressed');
  });
});
