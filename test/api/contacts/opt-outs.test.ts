import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { forgetOptRequests } from '../../../models/operations/contacts/apply-opt-requests.js';
import { signSandboxCallback } from '../../../models/rules/callbacks/sandbox.js';
import { rows } from '../../support/database.js';
import { buildSent, claimAll, messageOf, sandboxEverywhere } from '../../support/rows/messages.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const path = '/api/v1/suppressions';
let lastNumber = 7_000_000;

describe('opt-outs, and entries of the workspace', () => {
  const app = useApi();
  let account: Account;
  let to: string;
  beforeEach(async () => {
    account = await app.account();
    lastNumber += 1;
    to = `+1555${lastNumber}`;
    await buildSent(app.deps.db, account.workspaceId, { to });
  });

  const add = async (more: object = {}) => {
    const { status, body } = await app.call('POST', path, { key: account.key, body: { channel: 'sms', recipient: to, ...more } });
    assert.equal(status, 201);
    return body.data.suppression;
  };
  const remove = async (id: string) => (await app.call('DELETE', `${path}/${id}`, { key: account.key })).status;
  /** @returns the event, which a carrier may send again */
  const say = async (text: string, more: { occurred_at?: Date } = {}) => {
    const event = { id: uuidv7(), channel: 'sms', from: to, to: '+15550000000', text, occurred_at: new Date(), ...more };
    assert.equal(await send(event), 200);
    return event;
  };
  const send = async (event: object) => {
    const body = JSON.stringify({ inbound: [event] });
    const headers = signSandboxCallback(app.deps.config.secretKey, body);
    return (await app.call('POST', '/callbacks/sandbox', { body, headers })).status;
  };
  const entries = async (): Promise<{ id: string; reason: string; source: string }[]> =>
    (await app.call('GET', path, { key: account.key })).body.data.suppressions;
  const listed = async () => (await entries()).map(({ reason, source }) => `${reason} ${source}`);
  /** Why a message fails that is sent now; null if it may be handed off. */
  const refusal = async () => {
    const body = { to, channel: 'sms', content: { text: 'x' } };
    const { id } = (await app.call('POST', '/api/v1/messages/send', { key: account.key, body })).body.data.message;
    await claimAll(app.deps.db, (await messageOf(app.deps.db, id)).group_id, sandboxEverywhere);
    return (await messageOf(app.deps.db, id)).error_message;
  };
  const optedOut = 'The recipient has opted out';
  const onList = 'The recipient is on the suppression list';

  it('START ends only the opt-out, and the entry of the workspace for the same recipient keeps its id', async () => {
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

  it('200 for the removal of the entry of the workspace, and 409 for that of the opt-out, which stays', async () => {
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

  it('a START that the carrier repeats after a newer STOP does not end it', async () => {
    await say('STOP');
    const start = await say('START');
    await say('STOP');
    await send(start);
    assert.deepEqual(await listed(), ['opt_out inbound']);
  });

  it('a STOP that the carrier repeats after a newer START suppresses nothing', async () => {
    const stop = await say('STOP');
    await say('START');
    await send(stop);
    assert.deepEqual(await listed(), []);
  });

  it('a START that arrives after a newer STOP does not end it', async () => {
    const before = new Date(Date.now() - 5_000);
    await say('STOP');
    await say('START', { occurred_at: before });
    assert.deepEqual(await listed(), ['opt_out inbound']);
    await say('START');
    assert.deepEqual(await listed(), []);
  });

  it('a START of tomorrow, by the clock of the carrier, does not outlast a STOP', async () => {
    await say('START', { occurred_at: new Date(Date.now() + 86_400_000) });
    await say('STOP');
    assert.deepEqual(await listed(), ['opt_out inbound']);
  });

  it('500 while a STOP cannot be applied, and its repetition is applied', async () => {
    await rows(app.deps.db, 'ALTER TABLE suppressions_by_recipients ADD CONSTRAINT refuses CHECK (false) NOT VALID');
    const stop = { id: uuidv7(), channel: 'sms', from: to, to: '+15550000000', text: 'STOP', occurred_at: new Date() };
    const status = await send(stop);
    await rows(app.deps.db, 'ALTER TABLE suppressions_by_recipients DROP CONSTRAINT refuses');
    assert.deepEqual([status, await send(stop)], [500, 200]);
    assert.deepEqual(await listed(), ['opt_out inbound']);
  });

  it('200 for a STOP with a NUL or a broken emoji, which is no part of the word, and it is applied', async () => {
    await say('STOP\0');
    assert.deepEqual(await listed(), ['opt_out inbound']);
    await say('START');
    await say('STOP \ud83d');
    assert.deepEqual(await listed(), ['opt_out inbound']);
  });

  it('opt requests are kept for 30 days, as digests', async () => {
    await say('STOP');
    const stored = await rows<{ row: string }>(app.deps.db, 'SELECT row_to_json(h)::text AS row FROM heard_wishes h');
    assert.ok(stored.length > 0 && stored.every(({ row }) => !row.includes(to)));
    const deletedAt = async (days: number) => {
      await rows(app.deps.db, `UPDATE heard_wishes SET heard_at = now() - $1 * interval '1 day'`, [days]);
      return forgetOptRequests(app.deps.db);
    };
    assert.deepEqual([await deletedAt(29), await deletedAt(31)], [0, stored.length]);
  });
});
