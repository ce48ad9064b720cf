/**
 * The audit of all books. Once a day it compares every ledger entry, message, batch and order with its counterpart. It works in pieces of bounded
 * size: one piece is one statement, and so sees one moment. The database stores the progress, so that a crash loses one piece only.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, select } from '../../db/database.js';
import { auditCounts } from './audit-counts.js';
import { auditLedger } from './audit-ledgers.js';
import { auditBatches, auditEntries, auditMessages, auditOrders } from './audit-messages.js';
import type { Difference } from '../../rules/billing/difference-text.js';
import type { AuditPiece, AuditPlace } from './audit-piece.js';

/** The steps run in this order. */
const steps: Readonly<Record<string, AuditPiece>> = {
  ledgers: auditLedger,
  messages: auditMessages,
  counts: auditCounts,
  batches: auditBatches,
  orders: auditOrders,
  entries: auditEntries,
};
const names = Object.keys(steps);
/** The step of an audit that has done all of them. */
const ended = '';

/** After a piece, the audit rests for as long as the piece took, but not longer than this, so that other work gets the database. */
const restMsMax = 50;

interface Audit {
  day: string;
  step: string;
  place: AuditPlace;
}

/**
 * Continues the audit of the day, or starts it (from two o'clock UTC on). An unfinished audit of an earlier day is finished first.
 * @param untilMs milliseconds since 1970. No piece begins later
 * @param onDifference receives each difference
 * @returns false if nothing is left to do today
 */
export async function auditBooks(db: Database, untilMs: number, onDifference: (difference: Difference) => void): Promise<boolean> {
  await select(db, begin, [names[0]]);
  const [audit] = await select<Audit>(db, unfinished);
  if (audit === undefined) return false;
  for (let { step, place } = audit; Date.now() < untilMs; ) {
    const startedAt = performance.now();
    const piece = await steps[step]?.(db, place);
    for (const difference of piece?.differences ?? []) onDifference(difference);
    place = piece?.place ?? null;
    if (!piece) step = names[names.indexOf(step) + 1] ?? ended;
    await select(db, step === ended ? end : goOn, [audit.day, step, place && JSON.stringify(place), piece?.differences.length ?? 0]);
    if (step === ended) return false;
    await sleep(Math.min(restMsMax, performance.now() - startedAt));
  }
  return true;
}

const begin = `
  INSERT INTO audits (day, step) SELECT (now() AT TIME ZONE 'UTC' - interval '2 hours')::date, $1
  WHERE NOT EXISTS (SELECT 1 FROM audits WHERE ended_at IS NULL) ON CONFLICT DO NOTHING`;
const unfinished = 'SELECT day::text, step, place FROM audits WHERE ended_at IS NULL ORDER BY day LIMIT 1';
const goOn = 'UPDATE audits SET step = $2, place = $3::json, differences = differences + $4 WHERE day = $1::date AND ended_at IS NULL';
const end = 'UPDATE audits SET step = $2, place = $3::json, differences = differences + $4, ended_at = now() WHERE day = $1::date';

/** Audits everything from the beginning now. Writes nothing. @returns the number of differences */
export async function auditNow(db: Database, onDifference: (difference: Difference) => void): Promise<number> {
  let count = 0;
  for (const step of Object.values(steps)) {
    for (let piece = await step(db, null); piece !== null; piece = await step(db, piece.place)) {
      count += piece.differences.length;
      for (const difference of piece.differences) onDifference(difference);
    }
  }
  return count;
}

/** This number of differences replaces that of the last daily audit, so that the alert ends when the differences are corrected. */
export async function storeDifferences(db: Database, count: number): Promise<void> {
  await select(db, replace, [count]);
}

const replace = 'UPDATE audits SET differences = $1 WHERE day = (SELECT max(day) FROM audits)';
