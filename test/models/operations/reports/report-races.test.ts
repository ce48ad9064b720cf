import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { eraseRecipient } from '../../../../models/operations/erasure/erase-recipient.js';
import type { Wake } from '../../../../models/operations/reports/record-reports.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildWorkspace } from '../../../support/rows/factories.js';
import { acceptedAs, buildClaimed, buildSent, giveUpNow, messageOf, reportOf, statusOf } from '../../../support/rows/messages.js';
import { applyReports, giveUpOnReports, recordHandoffs, recordReports, testKey } from '../../../support/rows/reports.js';

/** Each race is run so often, several at a time. */
const rounds = 60;

describe('reports that race with the work on their group', () => {
  const test = useDatabase({ poolMax: 20, checksBooks: true });
  let key: Buffer;
  let workspaceId: string;
  let otherId: string;
  before(async () => {
    key = await testKey(test.db);
    workspaceId = (await buildWorkspace(test.db, 10_000_000)).id;
    otherId = (await buildWorkspace(test.db)).id;
  });

  const unapplied = async (messageId: string) =>
    (await rows(test.db, 'SELECT status FROM delivery_reports WHERE message_id = $1 AND applied_at IS NULL', [messageId])).length;

  /** Runs `round` often, four at a time; it returns what went wrong. */
  const repeat = async (round: () => Promise<string | null>) => {
    const faults: string[] = [];
    let left = rounds;
    const lane = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const fault = await round();
        if (fault !== null) faults.push(fault);
      }
    };
    await Promise.all(Array.from({ length: 4 }, lane));
    assert.deepEqual(faults, []);
  };

  /** What the workflow does with its wakes: everything that was woken looks into the inbox. */
  const work = async (wakes: Wake[]) => {
    for (const { groupId } of wakes) await applyReports(test.db, groupId);
  };

  it('a report is applied or wakes the group when it arrives while another is applied', () =>
    repeat(async () => {
      const message = await buildSent(test.db, workspaceId, { channel: 'whatsapp' });
      // The first report has set the flag, and its wake is being worked off while the others come.
      const first = await recordReports(test.db, [reportOf(message, 'sent')]);
      const later = (['delivered', 'read'] as const).map((status) => recordReports(test.db, [reportOf(message, status)]));
      const [, ...wakes] = await Promise.all([work(first), ...later]);
      await work(wakes.flat());
      const left = await unapplied(message.id);
      return left === 0 ? null : `${left} reports of ${message.id} lie in the inbox and nobody was woken`;
    }));

  it('a report is applied when it arrives while the group is given up', () =>
    repeat(async () => {
      const message = await buildSent(test.db, workspaceId);
      const [wakes] = await Promise.all([
        recordReports(test.db, [reportOf(message, 'delivered')]),
        giveUpOnReports(test.db, message.group_id),
      ]);
      await work(wakes);
      const status = await statusOf(test.db, message.id);
      return status === 'delivered/delivered' ? null : status;
    }));

  it('a report corrects a failure that is being refunded, with at most one refund', () =>
    repeat(async () => {
      const claim = await buildClaimed(test.db, workspaceId);
      const { id, attempt } = claim;
      await recordHandoffs(test.db, [{ id, attempt, provider: 'sandbox', outcome: 'unknown', detail: 'reset' }]);
      const { group_id } = await messageOf(test.db, id);
      const report = reportOf({ id, provider_message_id: uuidv7() }, 'delivered');
      const [wakes] = await Promise.all([recordReports(test.db, [report]), giveUpNow(test.db, group_id)]);
      await work(wakes);
      const { status, cost, credits_used } = await messageOf(test.db, id);
      const refunds = await rows<{ amount: number }>(
        test.db,
        `SELECT amount FROM credit_entries WHERE kind = 'refund' AND reference = $1`,
        [id],
      );
      const refunded = refunds.reduce((sum, { amount }) => sum + amount, 0);
      const isRight = status === 'delivered' && refunds.length <= 1 && credits_used === cost - refunded;
      return isRight ? null : `${status}, ${refunds.length} refunds, ${credits_used} of ${cost} used`;
    }));

  it('reports find their message while its hand-off is recorded', () =>
    repeat(async () => {
      const claim = await buildClaimed(test.db, workspaceId);
      const providerId = uuidv7();
      const report = reportOf({ id: claim.id, provider_message_id: providerId }, 'delivered', { message_id: null });
      const [wakes] = await Promise.all([recordReports(test.db, [report]), recordHandoffs(test.db, [acceptedAs(claim, providerId)])]);
      const [group] = await rows<{ reports_pending: boolean }>(
        test.db,
        'SELECT reports_pending FROM message_groups g JOIN messages m ON m.group_id = g.id WHERE m.id = $1',
        [claim.id],
      );
      if (wakes.length === 0 && group?.reports_pending !== true) return 'nobody knows of the report';
      await applyReports(
        test.db,
        (await rows<{ group_id: string }>(test.db, 'SELECT group_id FROM messages WHERE id = $1', [claim.id]))[0]?.group_id ?? '',
      );
      const status = await statusOf(test.db, claim.id);
      return status === 'delivered/delivered' ? null : status;
    }));

  it('reports find their message while its hand-off is recorded and an erasure renames them', () =>
    repeat(async () => {
      const claim = await buildClaimed(test.db, workspaceId, { channel: 'whatsapp' });
      const { group_id, to } = await messageOf(test.db, claim.id);
      const name = `wamid.${uuidv7()}`;
      const report = reportOf({ id: claim.id, provider_message_id: name }, 'delivered', { message_id: null, raw: to });
      await Promise.all([
        recordReports(test.db, [report]),
        recordHandoffs(test.db, [acceptedAs(claim, name)]),
        (async () => {
          for (let time = 0; time < 4; time += 1) {
            await eraseRecipient(test.db, key, { workspaceId: otherId, recipient: to, at: new Date() });
          }
        })(),
      ]);
      await applyReports(test.db, group_id);
      const status = await statusOf(test.db, claim.id);
      return status === 'delivered/delivered' ? null : status;
    }));

  it('reports of many groups cause no deadlock, and wake each group once', () =>
    repeat(async () => {
      const messages = await Promise.all(Array.from({ length: 6 }, () => buildSent(test.db, workspaceId)));
      const callbacks = (['sent', 'delivered'] as const).map((status, index) => {
        const reports = messages.map((message) => reportOf(message, status));
        return recordReports(test.db, index === 0 ? reports : reports.toReversed());
      });
      const woken = (await Promise.all(callbacks)).flat().map(({ groupId }) => groupId);
      return woken.toSorted().join() ===
        messages
          .map(({ group_id }) => group_id)
          .toSorted()
          .join()
        ? null
        : `woken ${woken.length} times`;
    }));

  it('reports are stored once each when two callbacks have them in opposite order', async () => {
    for (let round = 0; round < 3; round += 1) {
      const reports = Array.from({ length: 400 }, () => reportOf({ id: uuidv7(), provider_message_id: uuidv7() }, 'delivered'));
      await Promise.all([reports, reports.toReversed(), reports, reports.toReversed()].map((each) => recordReports(test.db, each)));
      const ids = reports.map(({ provider_message_id }) => provider_message_id);
      const stored = await rows(test.db, 'SELECT 1 FROM delivery_reports WHERE provider_message_id = ANY($1::text[])', [ids]);
      assert.equal(stored.length, reports.length);
    }
  });
});
