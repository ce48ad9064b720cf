import { inTurn } from '../../models/db/database.js';
import { makeId } from '../../models/rules/values/make-id.js';
import { type Choices, type Claimed, type ClaimLimits, claimHandoffs } from '../../models/operations/handoff/claim-handoffs.js';
import type { SendingRules } from '../../models/operations/handoff/refuse-queued.js';
import { releaseClaim } from '../../models/operations/handoff/uncertain-handoffs.js';
import { persist } from '../support/persist.js';
import { type RoundDeps, sendingRules } from './round-deps.js';

/** No call begins later than this after its claim, so that it ends before the lease of its attempt. */
const claimAgeMsMax = 4_000;

/**
 * Claims messages for one round. If the answer of the claim is lost, or so late that the lease could end during a call, it releases the claim
 * and no call is made.
 * @returns `late` when the claim was too late
 * @throws the error of the claim, after the release
 */
export async function claimRound(
  deps: Pick<RoundDeps, 'db' | 'logger' | 'persistMs' | 'secretKeys' | 'verifiedOnly'>,
  groupId: string,
  choices: Choices,
  limits: Omit<ClaimLimits, 'claimId' | keyof SendingRules>,
): Promise<Claimed | 'late'> {
  const { db } = deps;
  const claimId = makeId();
  const rules = await sendingRules(deps);
  let claimed: Claimed | 'late' = 'late';
  try {
    claimed = await inTurn(db, async () => {
      const begunAt = performance.now(); // the wait for the turn comes before the claim
      const answer = await claimHandoffs(db, groupId, choices, { ...limits, ...rules, claimId });
      return performance.now() - begunAt < claimAgeMsMax ? answer : 'late';
    });
    return claimed;
  } finally {
    // Also after an error: its claim may have been committed.
    if (claimed === 'late') await persist('release a claim', () => releaseClaim(db, groupId, claimId), deps);
  }
}
