import { isDataError } from '../../models/db/sql-state.js';
import type { HandoffResult } from '../../models/operations/handoff/record-handoffs.js';

/**
 * Records results of one round. If PostgreSQL refuses one of them, for example because a carrier gave two messages the same id, it records the
 * others, and that one as unknown: it is unclear whether the carrier has the message.
 * @param record records several results in one transaction
 */
export async function recordIsolatingRefused(record: (results: HandoffResult[]) => Promise<void>, results: HandoffResult[]): Promise<void> {
  try {
    await record(results);
  } catch (error) {
    if (!isDataError(error)) throw error;
    if (results.length === 1) return record(results.map(asUnknown));
    const half = Math.ceil(results.length / 2);
    await recordIsolatingRefused(record, results.slice(0, half));
    await recordIsolatingRefused(record, results.slice(half));
  }
}

const asUnknown = ({ id, attempt, provider }: HandoffResult): HandoffResult => ({
  id,
  attempt,
  provider,
  outcome: 'unknown',
  detail: 'response refused by the database',
});
