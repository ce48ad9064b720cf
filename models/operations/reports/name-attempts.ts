/** The ids of carriers for messages whose hand-off was not answered, from their reports. */
import { type Database, select, type Transaction } from '../../db/database.js';
import { only, recordset } from '../../tables/columns.js';
import type { DeliveryReport } from '../../tables/delivery-report.js';
import { sendAttemptColumns } from '../../tables/send-attempt.js';

/** An account, and its id for a message. */
export type CarrierId = Pick<DeliveryReport, 'provider' | 'provider_message_id'>;

/** A report with the message that it names. */
export interface NamingReport extends CarrierId {
  message_id: string;
  /** The message has the id that its provider gave it. */
  is_named: boolean;
}

/**
 * The ids that messages without one get from their reports: the last one of each. An id belongs to one message. If a carrier gives it to
 * several, the first of them gets it, and the others stay without: their reports name them by our id.
 * @param reports in the order of their messages
 */
export async function idsFromReports(
  db: Database,
  transaction: Transaction,
  reports: readonly NamingReport[],
): Promise<ReadonlyMap<string, CarrierId>> {
  const unnamed = reports.filter(({ is_named }) => !is_named);
  const ids = new Map<string, CarrierId>();
  if (unnamed.length === 0) return ids;
  const bind = [unnamed.map(({ provider }) => provider), unnamed.map(({ provider_message_id: id }) => id)];
  const owners = new Map((await select<CarrierId & { id: string }>(db, taken, bind, transaction)).map((row) => [keyOf(row), row.id]));
  for (const { message_id, provider, provider_message_id } of unnamed) {
    const key = keyOf({ provider, provider_message_id });
    const owner = owners.get(key) ?? message_id;
    if (owner !== message_id) continue;
    owners.set(key, owner);
    ids.set(message_id, { provider, provider_message_id });
  }
  return ids;
}

const keyOf = ({ provider, provider_message_id }: CarrierId) => JSON.stringify([provider, provider_message_id]);

const taken = `
  SELECT id, provider, provider_message_id FROM messages WHERE provider = ANY($1::text[]) AND provider_message_id = ANY($2::text[])`;

/** If a message does not get the provider's id from its report, the attempt stores that id, so that the report is found by it. */
export async function nameAttempts(db: Database, transaction: Transaction, unnamed: readonly NamingReport[]): Promise<void> {
  const rows = unnamed.map(({ message_id, provider, provider_message_id }) => ({ message_id, provider, provider_message_id }));
  if (rows.length > 0) await select(db, nameAttempt, [JSON.stringify(rows)], transaction);
}

const nameAttempt = `
  UPDATE send_attempts a SET provider_message_id = r.provider_message_id
  FROM ${recordset('$1', 'r', only(sendAttemptColumns, 'message_id', 'provider', 'provider_message_id'))}
  WHERE a.message_id = r.message_id AND a.provider = r.provider AND a.provider_message_id IS NULL`;
