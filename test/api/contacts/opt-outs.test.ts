import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { claimHandoffs } from '../../../models/operations/handoff/claim-handoffs.js';
import { signSandboxCallback } from '../../../models/rules/callbacks/sandbox.js';
import { buildSent, messageOf, sandboxEverywhere } from '../../support/rows/messages.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const path = '/api/v1/suppressions';
let lastNumber = 7_000_000;

describe('an opt-out and an entry of the workspace', () => {
  const app = useApi();
  let account: Account;
  let to: string;
  beforeEach(async () => {
    account = await app.account();
    lastNumber += 1;
    to = `+1555${lastNumber}`;
    await buildSent(app.deps.db, account.workspaceId, { to });
  });

  const add = async (body: object = {}) =>
    (await app.call('POST', path, { key: account.key, body: { channel: 'sms', recipient: to, ...body } })).body.data.suppression;
  const remove = async (id: string) => (await app.call('DELETE', `${path}/${id}`, { key: account.key })).status;
  const say = async (text: string) => {
    const inbound = [{ id: uuidv7(), channel: 'sms', from: to, to: '+15550000000', text, occurred_at: new Date() }];
    const body = JSON.stringify({ inbound });
    const headers = signSandboxCallback(app.deps.config.secretKey, body);
    assert.equal((await app.call('POST', '/callbacks/sandbox', { body, headers })).status, 200);
  };
  const entries = async (): Promise<{ id: string; reason: string; source: string }[]> =>
    (await app.call('GET', path, { key: account.key })).body.data.suppressions;
  const listed = async () => (await entries()).map(({ reason, source }) => `${reason} ${source}`);
  /** Why a message fails that is sent now; null if it may be handed off. */
  const refusal = async () => {
    const body = { to, channel: 'sms', content: { text: 'x' } };
    const { id } = (await app.call('POST', '/api/v1/messages/send', { key: account.key, body })).body.data.message;
    await claimHandoffs(app.deps.db, (await messageOf(app.deps.db, id)).group_id, sandboxEverywhere);
    return (await messageOf(app.deps.db, id)).error_message;
  };
  const optedOut = 'The recipient has opted out';
  const onList = 'The recipient is on the suppression list';

  it('200 lists both, and START ends only the opt-out: the entry of the workspace keeps its id', async () => {
    const own = await add();
    await say('STOP');
    assert.deepEqual([await listed(), await refusal()], [['opt_out inbound', 'manual api'], optedOut]);
    assert.deepEqual((await app.call('GET', `${path}/${own.id}`, { key: account.key })).body.data.suppression, own);
    await say('START');
    assert.deepEqual([await entries(), await refusal()], [[own], onList]);
    assert.deepEqual([await remove(own.id), await refusal()], [200, null]);
  });

  it('201 for an entry of the workspace after STOP, which outlives START', async () => {
    await say('STOP');
    const own = await add();
    assert.deepEqual([own.reason, own.source], ['manual', 'api']);
    assert.deepEqual([await listed(), await refusal()], [['manual api', 'opt_out inbound'], optedOut]);
    await say('START');
    assert.deepEqual([await entries(), await refusal()], [[own], onList]);
  });

  it('200 removes the entry of the workspace alone, and 409 keeps the opt-out', async () => {
    const own = await add();
    await say('STOP');
    const [optOut] = await entries();
    assert.deepEqual([await remove(own.id), await listed(), await refusal()], [200, ['opt_out inbound'], optedOut]);
    assert.deepEqual([await remove(optOut?.id ?? ''), await remove(own.id)], [409, 404]);
    await say('START');
    assert.deepEqual([await listed(), await refusal()], [[], null]);
  });

  it('an entry of the workspace that expires does not outlive its time by STOP', async () => {
    await add({ expires_at: new Date(Date.now() + 60_000) });
    await say('STOP');
    const [optOut, own] = await entries();
    assert.deepEqual([(optOut as { expires_at?: null }).expires_at, typeof (own as { expires_at?: string }).expires_at], [null, 'string']);
  });
});
