import { v7 as uuidv7 } from 'uuid';
import { type Choices, type Claim, type ClaimLimits, claimHandoffs } from '../../models/operations/handoff/claim-handoffs.js';
import { erasureKey } from '../../models/operations/erasure/erasure-key.js';
import { releaseClaim } from '../../models/operations/handoff/uncertain-handoffs.js';
import { persist } from '../support/persist.js';
import type { RoundDeps } from './round-deps.js';

/** No call begins later than this after its claim began, so that it ends before the lease of its attempt does. */
const claimAgeMsMax = 4_000;

/**
 * Claims messages for one round. Where the answer of the claim is lost, or comes so late that the lease of its attempts might end
 * during a call, the attempts are closed again: none of them is called.
 * @returns `late` when the claim came too late
 * @throws what the claim threw, after its attempts were closed
 */
export async function claimRound(
  deps: Pick<RoundDeps, 'db' | 'logger' | 'persistMs' | 'secretKeys'>,
  groupId: string,
  choices: Choices,
  limits: ClaimLimits,
): Promise<Claim[] | 'late'> {
  const { db } = deps;
  const claimId = uuidv7();
  const release = () => persist(() => releaseClaim(db, groupId, claimId), deps);
  const begunAt = performance.now();
  try {
    const claims = await claimHandoffs(db, groupId, choices, { ...limits, claimId, erasureKey: await erasureKey(db, deps.secretKeys) });
    if (performance.now() - begunAt < claimAgeMsMax) return claims;
  } catch (error) {
    await release();
    throw error;
  }
  await release();
  return 'late';
}
