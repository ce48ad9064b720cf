import assert from 'node:assert/strict';
import fc from 'fast-check';
import { buildBatch } from '../../../support/rows/batches.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import { assertBooks } from '../../../../harness/checks/invariants.js';
import { balanceOf } from '../../../support/rows/messages.js';
import { BatchLife, granted, sizes } from './batch-life.js';
import { type Step, steps } from './batch-oracle.js';

/** Any sequence of steps over a batch of two pages, against an oracle in memory. */
describe('the life of a batch', () => {
  const test = useDatabase();

  const endings: Step[][] = [
    ['fence'],
    ['cancel'],
    ['cancelHalf'],
    ['claim', 'crashed', 'cancel', 'finishPage'],
    ['claim', 'cancel', 'retryable', 'finishPage'],
  ];
  const bursts: Step[][] = [
    ...steps.filter((step) => !endings.some(([only, ...more]) => only === step && more.length === 0)).map((step) => [step]),
    ['accept', 'open', 'claim', 'accepted'],
    ['claim', 'accepted', 'delivered', 'apply'],
    ['claim', 'accepted', 'failed', 'apply'],
    ['claim', 'pause', 'accepted', 'claim'],
  ];
  // Seldom enough that half the walks are not cancelled early.
  const burst = fc.oneof({ weight: 15, arbitrary: fc.constantFrom(...bursts) }, { weight: 1, arbitrary: fc.constantFrom(...endings) });
  const command = fc.tuple(fc.nat(sizes.length - 1), burst);
  const isPoor = fc.nat(7).map((drawn) => drawn === 0);

  it('the life of a batch counts calls in progress and refunds the rest when it is paused and cancelled', async () => {
    for (const [answer, balance] of [
      ['accepted', granted - 2_000],
      ['rejected', granted],
      ['retryable', granted],
    ] as [Step, number][]) {
      const workspace = await buildWorkspace(test.db, granted);
      const life = new BatchLife(test, workspace.id, await buildBatch(test.db, workspace.id, sizes), granted);
      for (const step of ['accept', 'open', 'claim', 'pause', 'cancel', answer, 'finishPage', 'claim'] as Step[]) {
        await life.take(0, step);
        await life.assertAgreement();
      }
      await life.finish();
      await life.assertAgreement();
      assert.deepEqual([life.oracle.status, await balanceOf(test.db, workspace.id)], ['cancelled', balance], answer);
    }
    await assertBooks(test.db);
  });

  it('the life of a batch keeps money, rows and counts equal to the oracle for random operations', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(isPoor, fc.array(command, { minLength: 6, maxLength: 16, size: 'max' }), async (poor, commands) => {
        const balance = poor ? granted - 3_000 : granted;
        const workspace = await buildWorkspace(test.db, balance);
        await buildWebhook(workspace.id, 'https://one.example.test/');
        const batch = await buildBatch(test.db, workspace.id, sizes);
        const life = new BatchLife(test, workspace.id, batch, balance);
        for (const [page, taken] of [[0, ['accept']] as [number, Step[]], ...commands]) {
          for (const step of taken) await life.take(page, step);
          await life.assertAgreement();
        }
        seen.add(life.oracle.status);
        for (const status of life.statuses()) seen.add(status);
        await life.finish();
        await life.assertAgreement();
        seen.add(life.oracle.status);
      }),
      { numRuns: 50 },
    );
    await assertBooks(test.db);
    const everywhere = ['cancelled', 'completed', 'delivered', 'failed', 'gone', 'paused', 'queued', 'sending', 'sent'];
    assert.deepEqual([...seen].toSorted(), everywhere, 'the walk came everywhere');
  });
});
