import assert from 'node:assert/strict';
import { type Account, type Json, type RestClient, restClient, until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { statusOf } from '../../support/rows/messages.js';
import { takeBackup } from '../../support/restore.js';
import { RestoredService } from './restored-service.js';

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
const sorted = (ids: Iterable<string>) => [...ids].toSorted();

/** Messages by what they were when the backup was taken. */
interface Story {
  account: Account;
  /** Handed off before; delivered after it. */
  sent: string[];
  /** Handed off before; failed after it, and followed by its fallback. */
  chained: string;
  /** Waiting in groups, alone, in a batch, in a paused batch, and due after the backup; all are handed off after it. */
  singles: string[];
  batch: string[];
  paused: string[];
  soon: string;
  mails: string[];
  /** Due tomorrow. */
  later: string;
}

describe('a database that was restored to an earlier moment', function () {
  this.timeout(180_000);
  const test = new RestoredService();
  let client: RestClient;
  before(() => test.start());
  after(() => test.stop());
  const db = () => test.service.db;

  const send = async (account: Account, message: Json = {}): Promise<string> => (await client.send(account, message)).id;
  const bulk = async (account: Account, first: number, count: number): Promise<string> => {
    const recipients = Array.from({ length: count }, (_, index) => ({ to: `+1555200${first + index}` }));
    const body = { channel: 'sms', content: { text: 'Hello' }, recipients };
    const answer = await client.call('POST', '/api/v1/messages/bulk', { body, headers: { 'X-API-Key': account.apiKey } });
    assert.equal(answer.status, 201);
    return answer.body.data.batch.id;
  };
  const change = (account: Account, batchId: string, verb: string) =>
    client.call('POST', `/api/v1/messages/bulk/${batchId}/${verb}`, { headers: { 'X-API-Key': account.apiKey } });
  const idsOf = async (condition: string): Promise<string[]> =>
    (await rows<{ id: string }>(db(), `SELECT id FROM messages m WHERE ${condition} ORDER BY id`)).map(({ id }) => id);
  const untilAll = (ids: readonly string[], status: string) =>
    until(async () => {
      const found = await rows(db(), 'SELECT 1 FROM messages WHERE id = ANY($1::uuid[]) AND status = $2', [ids, status]);
      return found.length === ids.length;
    }, `${ids.length} messages are ${status}`);

  it('a restored database sends nothing twice after its recovery, and explains every message', async () => {
    client = restClient(test.service.url, test.service.db);
    const { story, batchIds } = await beforeTheBackup();
    await test.untilCarriersRest();
    const restore = await takeBackup(test.service.ownerUrl);
    const asOf = new Date().toISOString();
    const lost = await afterTheBackup(story, batchIds.paused);
    await Promise.all([test.service.api.stop(), test.worker.kill()]);
    await restore();

    const uncertain = [...story.singles, ...story.batch, ...story.paused, ...story.mails, story.soon];
    await recover(asOf, uncertain, story);
    const handedOff = sorted(test.taken);
    assert.equal(new Set(handedOff).size, handedOff.length);
    await Promise.all([test.service.api.start(), test.service.worker.start()]);
    // Some reports are still on their way; those that came after the backup are not sent again.
    const late = uncertain.filter((id) => !lost.reported.includes(id) && !story.mails.includes(id)).filter((_, index) => index % 2 === 0);
    await test.report(late);
    assert.equal((await change(story.account, batchIds.paused, 'resume')).status, 200); // its owner sees it as paused, and goes on
    await test.watchUntil(async () => (await idsOf(`status = 'queued' AND id <> '${story.later}'`)).length === 0, 'nothing is queued');
    await untilAll([...late, ...story.sent], 'delivered');

    assert.deepEqual(sorted(test.taken), handedOff, 'nothing was handed off again, nor sent instead');
    const refunded = uncertain.filter((id) => !late.includes(id) && !story.mails.includes(id));
    const failed = await idsOf(`status = 'failed' AND error_code = 'handoff_unknown' AND credits_used = 0`);
    assert.deepEqual(failed, sorted(refunded));
    const early = `EXISTS (SELECT 1 FROM send_attempts a WHERE a.message_id = m.id AND a.give_up_at > m.failed_at)`;
    assert.deepEqual(await idsOf(early), [], 'nothing was given up while its report could still come');
    assert.deepEqual(await idsOf(`channel = 'email' AND status = 'sent' AND credits_used > 0`), sorted(story.mails));
    await untilBatchesAreOver(batchIds);
    await assertBooks(db());
    await assertListed(asOf, { reported: late, refunded, reconciled: story.mails });

    await rows(db(), `UPDATE messages SET scheduled_at = now() - interval '10 minutes' WHERE id = $1`, [story.later]);
    await test.watchUntil(async () => test.taken.includes(story.later), 'what was scheduled is sent');
    await untilAll([story.later], 'sent');
    assert.equal(test.taken.length, handedOff.length + 1);
    await assertBooks(db());
  });

  async function beforeTheBackup(): Promise<{ story: Story; batchIds: { sending: string; paused: string } }> {
    const account = await client.signUp();
    const sent = await Promise.all(Array.from({ length: 3 }, () => send(account)));
    const chained = await send(account, { fallback: [{ channel: 'whatsapp', to: '+15557770001', after: 3_600 }] });
    await untilAll([...sent, chained], 'sent');
    test.shutCarriers(5);
    const sending = await bulk(account, 1_000, 12);
    await until(async () => (await idsOf(`batch_id = '${sending}' AND status = 'sent'`)).length === 5, 'the batch is in its middle');
    const paused = await bulk(account, 2_000, 4);
    assert.equal((await change(account, paused, 'pause')).status, 200);
    const singles = await Promise.all(Array.from({ length: 20 }, () => send(account)));
    const mails = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        send(account, { channel: 'email', to: `${name}@example.test`, content: { subject: 'Hello', text: 'Hello' } }),
      ),
    );
    const soon = await send(account, { scheduled_at: inSeconds(3) });
    const later = await send(account, { scheduled_at: inSeconds(86_400) });
    const batch = await idsOf(`batch_id = '${sending}' AND status = 'queued'`);
    assert.equal(batch.length, 7);
    const story = { account, sent, chained, singles, batch, paused: await idsOf(`batch_id = '${paused}'`), soon, mails, later };
    return { story, batchIds: { sending, paused } };
  }

  /** All that is lost: hand-offs, reports, a resumed batch, a fallback, a new message. @returns what was reported */
  async function afterTheBackup({ account, sent, chained, singles, batch, paused, soon, mails }: Story, pausedBatch: string) {
    test.openCarriers();
    assert.equal((await change(account, pausedBatch, 'resume')).status, 200);
    const unknown = await send(account);
    await untilAll([...singles, ...batch, ...paused, ...mails, soon, unknown], 'sent');
    const reported = [...singles.slice(0, 7), ...batch.slice(0, 2), ...paused.slice(0, 1), ...sent];
    await test.report(reported);
    const failing = test.twilio.taken.find(({ form }) => form.StatusCallback?.includes(chained));
    assert.ok(failing !== undefined);
    await test.twilio.report(failing, 'undelivered', { errorCode: 30005 });
    await until(() => test.twilio.taken.some(({ form }) => form.To === 'whatsapp:+15557770001'), 'the fallback is sent');
    await untilAll(reported, 'delivered');
    return { reported };
  }

  async function recover(asOf: string, uncertain: readonly string[], { sent, chained, paused, later }: Story): Promise<void> {
    const args = ['--as-of', asOf, '--wait', '15'];
    const refused = await test.recover(...args);
    assert.deepEqual([refused.code, /which polled Temporal \d+ s ago/.test(refused.err)], [1, true], refused.err);
    const dry = JSON.parse((await test.recover(...args, '--dry-run', '--json')).out);
    assert.deepEqual(await rows(db(), 'SELECT 1 FROM recoveries'), []);
    assert.deepEqual(await rows(db(), `SELECT 1 FROM send_attempts WHERE detail = 'restored'`), []);
    await test.recoverAndDie(...args, '--force');
    const first = await test.recover(...args, '--force', '--json');
    assert.equal(first.code, 0, first.err);
    for (const found of [dry, JSON.parse(first.out)]) {
      assert.deepEqual(sorted(found.uncertain), sorted(uncertain));
      assert.deepEqual([found.scheduled, sorted(found.uncertain_paused)], [[later], sorted(paused)]);
      for (const id of [...sent, chained]) assert.ok(found.awaiting_report.includes(id));
    }
    assert.equal(dry.fallbacks, 1);
    const attempts = await rows(db(), `SELECT 1 FROM send_attempts WHERE detail = 'restored'`);
    assert.equal(attempts.length, uncertain.length, 'each was marked once');
    for (const id of uncertain) assert.equal(await statusOf(db(), id), 'queued/sending');
  }

  async function untilBatchesAreOver(batchIds: { sending: string; paused: string }): Promise<void> {
    const open = () => rows(db(), `SELECT 1 FROM batches WHERE id = ANY($1::uuid[]) AND completed_at IS NULL`, [Object.values(batchIds)]);
    await test.watchUntil(async () => (await open()).length === 0, 'the batches are completed');
  }

  async function assertListed(asOf: string, expected: Record<string, readonly string[]>): Promise<void> {
    const { out } = await test.recover('--status', '--as-of', asOf, '--json');
    const { uncertain } = JSON.parse(out);
    const lists = Object.fromEntries(Object.entries(expected).map(([state, ids]) => [state, sorted(ids)]));
    assert.deepEqual(uncertain, lists);
  }
});
