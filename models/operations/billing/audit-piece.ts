/** What every step of the audit is made of. */
import type { Database } from '../../db/database.js';

/** Something that must never be. */
export interface Difference {
  what: string;
  /** Of the workspace, message, batch or ledger entry. */
  id: string;
  detail: object;
}

/** Where a step stands, as the step itself understands it; null: at the beginning. */
export type Place = object | null;

/** One piece of a step. @returns null when nothing is left of the step */
export type AuditPiece = (db: Database, place: Place) => Promise<{ differences: Difference[]; place: object } | null>;
