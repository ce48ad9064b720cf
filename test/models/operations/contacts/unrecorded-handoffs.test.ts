import assert from 'node:assert/strict';
import { workspaceForEach } from '../../../support/for-each.js';
import { buildQueued } from '../../../support/rows/factories.js';
import { acceptedAs, buildClaimed, claimAll, giveUpNow, messageOf, sandboxEverywhere, statusOf } from '../../../support/rows/messages.js';
import { optIn, optOut } from '../../../support/rows/opt-requests.js';
import { recordHandoffs } from '../../../support/rows/reports.js';

describe('STOP about a message whose hand-off has no recorded acceptance', () => {
  const test = workspaceForEach();
  const to = '+15557770010';
  const sender = { provider: 'sandbox', channel: 'sms', recipient: to } as const;
  const stop = { ...sender, reason: 'opt_out', source: 'inbound', message_id: null, provider_message_id: null } as const;
  const nextStatus = async () => {
    const { id, group_id } = await buildQueued(test.db, test.workspaceId, { to });
    await claimAll(test.db, group_id, sandboxEverywhere);
    return statusOf(test.db, id);
  };
  const lostAnswer = (claim: { id: string; attempt: number }) =>
    recordHandoffs(test.db, [{ ...claim, provider: 'sandbox', outcome: 'unknown', detail: 'timeout' }]);
  const givenUp = async ({ id, attempt }: { id: string; attempt: number }) => {
    await lostAnswer({ id, attempt });
    await giveUpNow(test.db, (await messageOf(test.db, id)).group_id);
  };

  for (const [state, make] of [
    ['the call of the first one is in progress', async () => undefined],
    ['the answer about the first one was lost', lostAnswer],
    ['the first one was given up', givenUp],
    [
      'the first one was accepted after it was given up',
      async (claim: { id: string; attempt: number }) => {
        await givenUp(claim);
        await recordHandoffs(test.db, [acceptedAs(claim)]);
      },
    ],
  ] as const) {
    it(`after STOP the next message fails as suppressed until START, also if ${state}`, async () => {
      const { id, attempt } = await buildClaimed(test.db, test.workspaceId, { to });
      await make({ id, attempt });
      await optOut(test.db, stop);
      assert.equal(await nextStatus(), 'failed/suppressed');
      await optIn(test.db, sender);
      assert.equal(await nextStatus(), 'queued/sending');
    });
  }

  it('after STOP the next message is sent if only another account may have the first one', async () => {
    await buildClaimed(test.db, test.workspaceId, { to });
    await optOut(test.db, { ...stop, provider: 'twilio' });
    assert.equal(await nextStatus(), 'queued/sending');
  });

  it('after STOP the next message is sent if the account certainly did not take the first one', async () => {
    const { id, attempt } = await buildClaimed(test.db, test.workspaceId, { to });
    await recordHandoffs(test.db, [{ id, attempt, provider: 'sandbox', outcome: 'retryable', detail: 'refused' }]);
    await optOut(test.db, stop);
    assert.equal(await nextStatus(), 'queued/sending');
  });
});
