import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { erasureKey } from '../../../models/operations/erasure/erasure-key.js';
import { eraseMessages } from '../../../models/operations/erasure/erase-messages.js';
import { rows } from '../../support/database.js';
import { buildQueued, buildUndecided } from '../../support/rows/factories.js';
import { buildSent, giveUpNow, reportOf } from '../../support/rows/messages.js';
import { applyReports, recordReports } from '../../support/rows/reports.js';
import { runAdmin } from '../../support/run-admin.js';
import { useTimelines } from '../messages/use-timelines.js';

describe("the operator's command message", () => {
  const timelines = useTimelines();
  const message = async (id: string) => {
    const { code, out } = await runAdmin({ db: timelines.db }, 'message', id, '--json');
    return { code, ...JSON.parse(out) };
  };
  const text = async (id: string) => (await runAdmin({ db: timelines.db }, 'message', id)).out;

  it('the command message shows a message with the timeline as its owner sees it, and a masked recipient', async () => {
    const { db, account } = timelines;
    const sent = await buildSent(db, account.workspaceId, { content: { text: 'secret 4711' }, metadata: { order: 'secret 4712' } });
    await recordReports(db, [reportOf(sent, 'delivered')]);
    await applyReports(db, sent.group_id);
    const { code, message: shown, timeline } = await message(sent.id);
    assert.equal(code, 0);
    assert.deepEqual(timeline, JSON.parse(JSON.stringify(await timelines.timelineOf(sent.id))));
    const { workspace_id, channel, status, to, provider, provider_message_id, charged, credits_used } = shown;
    assert.deepEqual([workspace_id, channel, status, to], [account.workspaceId, 'sms', 'delivered', '***67']);
    assert.deepEqual([provider, provider_message_id, charged, credits_used], ['sandbox', sent.provider_message_id, 1, 1]);
    const lines = await text(sent.id);
    assert.match(lines, new RegExp(`^workspace     ${account.workspaceId}  Acme$`, 'm'));
    assert.match(lines, /^credits {7}1 credit charged, costs 1 credit after refunds$/m);
    assert.match(lines, /^\S+Z  charged {4}.*  -1 credits?$/m);
    assert.match(lines, /^\S+Z  attempt {4}Attempt 1, sandbox: accepted  provider message id: /m);
    for (const secret of ['4711', '4712', sent.to]) assert.ok(!`${lines}${JSON.stringify(shown)}`.includes(secret), secret);
  });

  it('the command message shows that a failed message was refunded, and why it failed', async () => {
    const { db, account } = timelines;
    const failed = await buildQueued(db, account.workspaceId, { channel: 'email', to: 'ada@example.com' });
    await giveUpNow(db, failed.group_id);
    const { message: shown } = await message(failed.id);
    assert.deepEqual([shown.to, shown.credits_used, shown.charged > 0], ['a***@example.com', 0, true]);
    const lines = await text(failed.id);
    assert.match(lines, new RegExp(`^error         ${shown.error_code}  `, 'm'));
    assert.match(lines, /^\S+Z  refunded {3}/m);
    assert.ok(!lines.includes('ada@'));
  });

  it('the command message shows an undecided message without a timeline, and an erased one without its recipient', async () => {
    const { db, account } = timelines;
    const undecided = await buildUndecided(db, account.workspaceId);
    const { message: shown, timeline } = await message(undecided.id);
    assert.deepEqual([shown.status, shown.charged, timeline], ['accepting', 0, null]);
    assert.match(await text(undecided.id), /^Undecided: not charged; the watcher removes it\.$/m);
    const erased = await buildSent(db, account.workspaceId);
    await recordReports(db, [reportOf(erased, 'delivered')]);
    await applyReports(db, erased.group_id);
    await rows(db, `UPDATE deliveries SET status = 'succeeded'`);
    assert.deepEqual(await eraseMessages(db, await erasureKey(db, timelines.app.deps.config.secretKeys), [erased.id], null), [erased.id]);
    assert.equal((await message(erased.id)).message.to, null);
    assert.match(await text(erased.id), /^channel {7}sms to an erased recipient$/m);
  });

  it('the command message exits with 1 for an unknown id, and with 2 for what is no id', async () => {
    const unknown = uuidv7();
    assert.deepEqual(await message(unknown), { code: 1, error: `Failed: there is no message ${unknown}` });
    assert.equal((await message('x')).code, 2);
  });
});
