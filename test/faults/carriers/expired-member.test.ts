/** Messages of one group: the carrier takes one, is unavailable for the others, and one of these expires meanwhile. */
import assert from 'node:assert/strict';
import { queues, workflowIds, workflowTypes } from '../../../workflows/contract.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { restClient, until } from '../../support/client.js';
import { refuse, startTwilio, twilioEnv, type TwilioCounterpart } from '../../support/carriers/twilio.js';
import { type Receiver, startReceiver } from '../../support/network/receiver.js';
import { buildQueuedGroup, messageOf, statusOf } from '../../support/rows/messages.js';
import { type Service, startService } from '../../support/service.js';

const taken = '+15551230001';

describe('a message that expires in a group', () => {
  let counterpart: TwilioCounterpart;
  let service: Service;
  let receiver: Receiver;
  before(async () => {
    counterpart = await startTwilio();
    counterpart.interfere = (response, form) => form.To !== taken && refuse(response, 503, 20503);
    receiver = await startReceiver();
    service = await startService({ isHere: true, env: twilioEnv(counterpart) });
  });
  after(async () => {
    await service?.stop();
    await Promise.all([counterpart?.close(), receiver?.close()]);
  });

  const failures = () => receiver.received.map(({ body }) => JSON.parse(body)).filter(({ event }) => event === 'message.failed');

  it('the expiry of a message of a group is announced at once while the carrier takes none of the others', async () => {
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    await client.hook(account, receiver.url);
    const expires_at = new Date(Date.now() + 4_000); // tries come after 0.5, 1.5, 3.5 and 7.5 seconds
    const { groupId, ids } = await buildQueuedGroup(service.db, account.workspaceId, [{ to: taken }, { expires_at }, {}]);
    const workflowId = workflowIds.shared(groupId);
    const options = { workflowId, taskQueue: queues.messages, args: [{ groupId }] };
    await service.temporal.client.workflow.start(workflowTypes.sendGroup, options);
    const [, expired = '', waiting = ''] = ids;
    await until(async () => (await statusOf(service.db, expired)) === 'failed/expired', 'it expires');
    await until(() => Promise.resolve(failures().length > 0), 'message.failed');
    assert.deepEqual(
      failures().map(({ data }) => [data.message_id, data.error_code]),
      [[expired, 'expired']],
    );
    const { failed_at } = await messageOf(service.db, expired);
    assert.ok(Number(failed_at) - Number(expires_at) < 3_400, `${String(failed_at)} instead of ${String(expires_at)}`);
    assert.equal((await messageOf(service.db, waiting)).status, 'queued');
    await assertBooks(service.db);
  });
});
