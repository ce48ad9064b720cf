import assert from 'node:assert/strict';
import fc from 'fast-check';
import { useDatabase } from '../../../support/for-each.js';
import { buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import { assertBooks } from '../../../../harness/checks/invariants.js';
import { granted, MessageLife } from './message-life.js';
import { type Step, steps } from './message-oracle.js';

const slots = 3;

/** Any sequence of steps over a few messages of one poor workspace, against an oracle in memory. */
describe('the life of messages', () => {
  const test = useDatabase();

  // Bursts, so that the walk often comes to the end of the way and not only around its beginning.
  const bursts: Step[][] = [
    ...steps.map((step) => [step]),
    ['accept', 'claim', 'accepted'],
    ['accept', 'claim'],
    ['delivered', 'apply'],
    ['read', 'apply'],
    ['failed', 'apply'],
  ];
  const command = fc.tuple(fc.nat(slots - 1), fc.constantFrom(...bursts));
  const costs = fc.array(fc.constantFrom(1_000, 500, 3_000), { minLength: slots, maxLength: slots });

  it('books, statuses and events equal the oracle after random operations', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(costs, fc.array(command, { minLength: 6, maxLength: 20, size: 'max' }), async (prices, commands) => {
        const workspace = await buildWorkspace(test.db, granted);
        await buildWebhook(workspace.id, 'https://one.example.test/');
        const life = new MessageLife(test, workspace.id);
        await life.begin(prices);
        for (const [slot, burst] of commands) for (const step of burst) await life.take(slot, step);
        await life.assertAgreement();
        for (const { status } of life.oracle.messages) seen.add(status);
      }),
      { numRuns: 100 },
    );
    await assertBooks(test.db);
    assert.deepEqual(
      [...seen].toSorted(),
      ['accepting', 'delivered', 'failed', 'gone', 'queued', 'read', 'sending', 'sent'],
      'the walk came everywhere',
    );
  });
});
