import { type Database, select, type Transaction } from '../../db/database.js';
import { namesRecipientInSql, withoutRecipient } from '../../rules/contacts/carrier-ids.js';
import { digestInSql } from '../../rules/contacts/erasure.js';

/** SQL: another report has the name that the report `d` gets. In a CASE, so that no plan reads all reports for it. */
const isDoubled = (key: string) => `
  CASE WHEN ${namesRecipientInSql('d.provider_message_id')} THEN EXISTS (
    SELECT 1 FROM delivery_reports other WHERE other.provider = d.provider AND other.status = d.status
      AND other.provider_message_id = ${digestInSql(key, 'd.provider_message_id')})
  ELSE false END`;

/**
 * SQL: two parts of a `WITH` that remove the recipient from the reports in the part `source` (id), which are locked: the carrier's words, and
 * ids that name the recipient. A report that the carrier repeated meanwhile is deleted, because the other one is kept.
 */
export const emptying = (source: string, key: string) => `
  emptied AS (
    UPDATE delivery_reports d SET raw = '', provider_message_id = ${withoutRecipient(key, 'd.provider_message_id')}
    FROM ${source} s WHERE d.id = s.id AND NOT ${isDoubled(key)}
  ), doubled AS (
    DELETE FROM delivery_reports d USING ${source} s WHERE d.id = s.id AND ${isDoubled(key)}
  )`;

/** Removes the recipient from these reports, which the transaction has locked. */
export async function emptyReports(db: Database, transaction: Transaction, key: Buffer, ids: readonly string[]): Promise<void> {
  await select(db, empty, [ids, key], transaction);
}

const empty = `WITH given AS (SELECT unnest($1::uuid[]) AS id), ${emptying('given', '$2')} SELECT 1`;

/** SQL: the report `d` still says something about its recipient. */
export const saysSomething = `(d.raw <> '' OR ${namesRecipientInSql('d.provider_message_id')})`;
