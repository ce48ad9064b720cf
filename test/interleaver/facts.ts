import type { Claim } from '../../models/operations/handoff/claim-handoffs.js';
import type { Wake } from '../../models/operations/reports/record-reports.js';

/** What the operations of a schedule answered to their callers, to be compared with the rows. */
export interface Facts {
  /** Messages whose request was answered "accepted". */
  accepted: string[];
  /** Messages and batches whose request was answered "not accepted, and never charged". */
  fenced: string[];
  claims: Claim[];
  wakes: Wake[];
  /** Groups whose workflow ends, because nothing of them is open. */
  ended: string[];
}

export const noFacts = (): Facts => ({ accepted: [], fenced: [], claims: [], wakes: [], ended: [] });
