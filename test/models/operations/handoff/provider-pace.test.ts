import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { dueUnits, heldAccounts, holdAccount, reserveSlot } from '../../../../models/operations/handoff/provider-pace.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildWorkspace } from '../../../support/rows/factories.js';
import { buildQueuedGroup, noWaits, routedTo } from '../../../support/rows/messages.js';
import { assertLeft } from '../../../support/measure/times.js';

describe('the send slots of an account', () => {
  const test = useDatabase();
  let account: string;
  beforeEach(() => {
    account = `p-${uuidv7()}`;
  });

  const reserve = (units: number, horizonMs = 3_600_000, perSecond = 1) => reserveSlot(test.db, { account, units, perSecond, horizonMs });

  it('send slots of an account are reserved one after the other', async () => {
    assert.deepEqual(await reserve(15), { waitMs: 0, isReserved: true });
    assertLeft((await reserve(20)).waitMs, 15_000);
    assertLeft((await reserve(1)).waitMs, 35_000);
  });

  it('send slots of an account are reserved once each for many at once', async () => {
    const slots = await Promise.all(Array.from({ length: 40 }, () => reserve(10)));
    const waits = slots.map(({ waitMs }) => waitMs).toSorted((a, b) => a - b);
    const startedMs = waits.map((waitMs, index) => waitMs - index * 10_000);
    assert.ok(
      startedMs.every((ms) => Math.abs(ms) < 9_000),
      `one in ten seconds: ${waits}`,
    );
  });

  it('send slots of an account are not reserved beyond the horizon', async () => {
    await reserve(30);
    const refused = await reserve(10, 2_500);
    assert.equal(refused.isReserved, false);
    assertLeft(refused.waitMs, 30_000);
    assertLeft((await reserve(1)).waitMs, 30_000);
  });

  it('send slots of an account start again after the longer of two holds', async () => {
    await holdAccount(test.db, account, 50_000);
    await holdAccount(test.db, account, 20_000);
    assertLeft((await reserve(10)).waitMs, 50_000);
    assertLeft((await reserve(1)).waitMs, 60_000);
    const held = (await heldAccounts(test.db)).filter((row) => row.account === account);
    assert.equal(held.length, 1);
    assertLeft(held[0]?.left_ms ?? 0, 50_000);
  });

  it('send slots of an account do not accumulate in the past', async () => {
    await reserve(1, 0, 1_000_000);
    assert.deepEqual(await reserve(10), { waitMs: 0, isReserved: true });
    assertLeft((await reserve(1)).waitMs, 10_000);
  });

  it('send slots of an account end earlier when its limit was raised', async () => {
    await reserve(10, 0, 0.001);
    const { waitMs, isReserved } = await reserve(1, 1_000, 100);
    assert.ok(isReserved && waitMs <= 100, `${waitMs} ms`);
  });

  it('send slots of an account that begin later stay reserved when its limit was raised', async () => {
    await reserve(10);
    await reserve(1_000);
    assertLeft((await reserve(1, 3_600_000, 100)).waitMs, 20_000);
  });

  it('send slots of an account keep their length for workers of the previous version', async () => {
    await rows(test.db, `INSERT INTO provider_pace (provider, next_slot_at) VALUES ($1, now() + interval '30 seconds')`, [account]);
    assertLeft((await reserve(1, 3_600_000, 100)).waitMs, 30_000);
    await rows(test.db, `UPDATE provider_pace SET next_slot_at = now() + interval '50 seconds' WHERE provider = $1`, [account]);
    assertLeft((await reserve(1, 3_600_000, 100)).waitMs, 50_000);
  });

  it('send slots of an account are counted in segments of due messages', async () => {
    const { id: workspaceId } = await buildWorkspace(test.db, 1_000_000);
    const ahead = { scheduled_at: new Date(Date.now() + 60_000) };
    const { groupId, ids } = await buildQueuedGroup(test.db, workspaceId, [
      { segments: 3 },
      { segments: 4 },
      { segments: 1 },
      { channel: 'email', segments: null },
      { ...ahead, segments: 50 },
    ]);
    const choices = routedTo({ sms: 'carrier', whatsapp: 'carrier', email: 'mailer' });
    const due = async (limit: number, except: string[] = []) =>
      Object.fromEntries(
        (await dueUnits(test.db, groupId, choices, { limit, except, waits: noWaits })).map(({ account, units }) => [account, units]),
      );
    assert.deepEqual(await due(25), { carrier: 8, mailer: 1 });
    assert.deepEqual(await due(2), { carrier: 7 });
    assert.deepEqual(await due(25, ids.slice(0, 1)), { carrier: 5, mailer: 1 });
  });
});
