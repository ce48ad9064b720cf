/** Messages of workspaces whose address is not verified, which were accepted while every channel used the sandbox. */
import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { closeWorkspace } from '../../../models/operations/accounts/close-workspace.js';
import { acceptMessages } from '../../../models/operations/messages/accept-messages.js';
import { fallBack } from '../../../models/operations/messages/fall-back.js';
import { insertMessages } from '../../../models/operations/messages/insert-messages.js';
import { systemOrigin } from '../../../models/rules/audit/origin.js';
import { workflowIds } from '../../../workflows/contract.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { workspaceForEach } from '../../support/for-each.js';
import { buildAcceptedBatch } from '../../support/rows/batches.js';
import { buildQueued, newMessage } from '../../support/rows/factories.js';
import { messageOf, statusOf } from '../../support/rows/messages.js';
import { inActivity, silentStarts } from '../../support/temporal/in-activity.js';
import { everywhere, stubProvider, silentLogger as logger } from '../../support/carriers/stub-provider.js';
import { messageActivities } from '../../support/parts/activities.js';

const realCarrier = { PROVIDER_SMS: 'twilio', TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'token', TWILIO_FROM: '+15005550100' };

describe('hand-off for a workspace whose address is not verified', () => {
  const test = workspaceForEach();

  const worker = (env: Record<string, string> = realCarrier) => {
    const provider = stubProvider();
    const deps = { db: test.db, config: testConfig(env), logger, providers: everywhere(provider), starts: silentStarts };
    const { dispatchMessages } = messageActivities(deps);
    return { provider, dispatch: (groupId: string, batchId?: string) => inActivity(dispatchMessages, [groupId, batchId]) };
  };
  const verify = () => rows(test.db, 'UPDATE workspaces SET email_verified = true WHERE id = $1', [test.workspaceId]);
  const balance = async () =>
    (await rows<{ balance: number }>(test.db, 'SELECT balance FROM workspaces WHERE id = $1', [test.workspaceId]))[0]?.balance;

  it('a scheduled message of an unverified workspace fails and is refunded if a real carrier would get it', async () => {
    const before = await balance();
    const { id, group_id } = await buildQueued(test.db, test.workspaceId, { scheduled_at: new Date() });
    const { dispatch, provider } = worker();
    assert.equal((await dispatch(group_id)).queued, 0);
    const { status, status_detail, error_code, credits_used } = await messageOf(test.db, id);
    assert.deepEqual([status, status_detail, error_code, credits_used], ['failed', 'rejected', 'unverified', 0]);
    assert.deepEqual([provider.calls, await balance()], [[], before]);
  });

  it('a batch of an unverified workspace fails and is refunded if a real carrier would get it', async () => {
    const before = await balance();
    const { id, pages } = await buildAcceptedBatch(test.db, test.workspaceId, [3]);
    const { dispatch, provider } = worker();
    for (const { groupId } of pages) await dispatch(groupId, id);
    for (const message of pages.flatMap(({ ids }) => ids)) assert.equal((await messageOf(test.db, message)).error_code, 'unverified');
    assert.deepEqual([provider.calls, await balance()], [[], before]);
  });

  it('a chain of an unverified workspace ends with its next step if a real carrier would get that', async () => {
    const id = uuidv7();
    const message = newMessage({ id, workspace_id: test.workspaceId, group_id: id });
    const step = { channel: 'email', to: 'a@example.test', after: 60, content: {}, price: 100, segments: null, encoding: null } as const;
    await insertMessages(test.db, { groupId: id, workflowId: workflowIds.message(id), messages: [message], fallback: [step, step] });
    await acceptMessages(test.db, id);
    await worker({}).dispatch(id);
    const { next } = await fallBack(test.db, id, true, workflowIds.message);
    assert.ok(next);
    await worker().dispatch(next.groupId);
    assert.equal((await messageOf(test.db, next.groupId)).error_code, 'unverified');
    assert.equal((await fallBack(test.db, next.groupId, true, workflowIds.message)).next, null);
  });

  it('a message of a closed workspace is cancelled, before the watcher does it', async () => {
    const before = await balance();
    const { id, group_id } = await buildQueued(test.db, test.workspaceId);
    await verify();
    await closeWorkspace(test.db, test.workspaceId, systemOrigin('operator'));
    const { dispatch, provider } = worker();
    await dispatch(group_id);
    const { status, status_detail, error_code, credits_used } = await messageOf(test.db, id);
    assert.deepEqual([status, status_detail, error_code, credits_used], ['failed', 'cancelled', 'cancelled', 0]);
    assert.deepEqual([provider.calls, await balance()], [[], before]);
  });

  it('a message of an unverified workspace is sent once its address is verified', async () => {
    const { id, group_id } = await buildQueued(test.db, test.workspaceId);
    await verify();
    await worker().dispatch(group_id);
    assert.equal(await statusOf(test.db, id), 'sent/awaiting_report');
  });

  it('a message of an unverified workspace is sent while every channel uses the sandbox', async () => {
    const { id, group_id } = await buildQueued(test.db, test.workspaceId);
    await worker({}).dispatch(group_id);
    assert.equal(await statusOf(test.db, id), 'sent/awaiting_report');
  });
});
