/** The types of all steps of the audit. */
import type { Database } from '../../db/database.js';
import type { Difference } from '../../rules/billing/difference-text.js';

/** The progress of a step, in a form that only the step reads; null: at the beginning. */
export type AuditPlace = object | null;

/** One piece of a step. @returns null if the step is complete */
export type AuditPiece = (db: Database, place: AuditPlace) => Promise<{ differences: Difference[]; place: object } | null>;
