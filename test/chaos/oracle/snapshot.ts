/** The books at the end of a run: the content of PostgreSQL at one moment, as plain JSON. Times are epoch milliseconds. */
import { Transaction } from 'sequelize';
import type { Channel } from '../../../models/channels.js';
import { type Database, select } from '../../../models/db/database.js';
import type { EntryKind } from '../../../models/tables/credit-entry.js';
import { tokenIn } from '../history.js';

export interface MessageFact {
  id: string;
  workspace_id: string;
  batch_id: string | null;
  channel: Channel;
  to: string;
  /** The token in its text; null if the text is not from the load. */
  token: string | null;
  /** Unicode code points of its text. */
  length: number;
  idempotency_key: string | null;
  status: 'accepting' | 'queued' | 'sent' | 'delivered' | 'failed' | 'read';
  status_detail: string;
  /** Thousandths of a credit, like all amounts here. */
  cost: number;
  credits_used: number;
  provider: string | null;
  provider_message_id: string | null;
  error_code: string | null;
  scheduled_at: number | null;
  created_at: number;
  sent_at: number | null;
  delivered_at: number | null;
  failed_at: number | null;
  /** Then its recipient and text are gone. */
  erased_at: number | null;
}

export interface AttemptFact {
  message_id: string;
  number: number;
  provider: string;
  outcome: 'accepted' | 'throttled' | 'retryable' | 'rejected' | 'unknown' | null;
  started_at: number;
}

export interface EntryFact {
  workspace_id: string;
  number: number | null;
  kind: EntryKind;
  amount: number;
  balance_after: number;
  reference: string;
  /** When its transaction began, which is before it took effect. */
  created_at: number;
}

export interface WorkspaceFact {
  id: string;
  balance: number;
  opening_balance: number;
  entry_count: number;
  message_count: number;
}

export interface InboxFact {
  provider: string;
  provider_message_id: string;
  status: 'sent' | 'delivered' | 'failed' | 'read';
  message_id: string | null;
  applied_at: number | null;
}

export interface EventFact {
  id: string;
  message_id: string;
  type: string;
  body: string | null;
  /** When its transaction began. */
  created_at: number;
}

export interface DeliveryFact {
  webhook_id: string;
  event_id: string;
  status: 'pending' | 'succeeded' | 'failed' | 'held';
  /** Recorded attempts. */
  attempts: number;
  /** All of them were scheduled: no resend, replay or test. */
  is_scheduled: boolean;
}

export interface WebhookFact {
  id: string;
  workspace_id: string;
  events: string[];
  is_active: boolean;
  ordered: boolean;
  deleted_at: number | null;
  created_at: number;
}

export interface BatchFact {
  id: string;
  workspace_id: string;
  status: 'accepting' | 'sending' | 'paused' | 'completed' | 'cancelled';
  accepted: number;
  cost: number;
  scheduled_at: number | null;
  completed_at: number | null;
}

export interface FallbackFact {
  message_id: string;
  next_id: string | null;
  outcome: 'sent' | 'not_needed' | 'unaffordable' | null;
}

/** What a step took over from the charge of an earlier message of its chain, which was refunded less this. */
export interface TransferFact {
  from_id: string;
  to_id: string;
  amount: number;
}

export interface Snapshot {
  at: number;
  messages: MessageFact[];
  attempts: AttemptFact[];
  entries: EntryFact[];
  workspaces: WorkspaceFact[];
  inbox: InboxFact[];
  events: EventFact[];
  deliveries: DeliveryFact[];
  webhooks: WebhookFact[];
  batches: BatchFact[];
  fallbacks: FallbackFact[];
  transfers: TransferFact[];
}

/** More rows than the tables of any run have, so that a snapshot stays a readable file. */
const rowsMax = 1_000_000;

/**
 * Reads all of it in one transaction, so that all tables are of the same moment. Of the texts, only the tokens are included.
 * @throws Error if a table has more than a million rows
 */
export function readSnapshot(db: Database): Promise<Snapshot> {
  return db.transaction({ isolationLevel: Transaction.ISOLATION_LEVELS.REPEATABLE_READ }, async (transaction) => {
    const read = async <Row extends object>(sql: string): Promise<Row[]> => {
      const rows = await select<Row>(db, `${sql} LIMIT ${rowsMax + 1}`, [], transaction);
      if (rows.length > rowsMax) throw new Error(`more than ${rowsMax} rows: ${sql}`);
      return rows;
    };
    const messages = await read<Omit<MessageFact, 'token' | 'length'> & { text: string | null }>(messageRows);
    return {
      at: Date.now(),
      messages: messages.map(({ text, ...message }) => ({ ...message, token: tokenIn(text ?? ''), length: [...(text ?? '')].length })),
      attempts: await read<AttemptFact>(`SELECT message_id, number, provider, outcome, ${ms('started_at')} FROM send_attempts`),
      entries: await read<EntryFact>(
        `SELECT workspace_id, number, kind, amount, balance_after, reference, ${ms('created_at')} FROM credit_entries ORDER BY workspace_id, number`,
      ),
      workspaces: await read<WorkspaceFact>('SELECT id, balance, opening_balance, entry_count, message_count FROM workspaces'),
      inbox: await read<InboxFact>(`SELECT provider, provider_message_id, status, message_id, ${ms('applied_at')} FROM delivery_reports`),
      events: await read<EventFact>(`SELECT id, message_id, type, body, ${ms('created_at')} FROM events WHERE message_id IS NOT NULL`),
      deliveries: await read<DeliveryFact>(deliveryRows),
      webhooks: await read<WebhookFact>(
        `SELECT id, workspace_id, events, is_active, ordered, ${ms('deleted_at')}, ${ms('created_at')} FROM webhooks`,
      ),
      batches: await read<BatchFact>(
        `SELECT id, workspace_id, status, accepted, cost, ${ms('scheduled_at')}, ${ms('completed_at')} FROM batches`,
      ),
      fallbacks: await read<FallbackFact>('SELECT message_id, next_id, outcome FROM fallbacks'),
      transfers: await read<TransferFact>('SELECT from_id, to_id, amount FROM charge_transfers'),
    };
  });
}

/** SQL: a time as epoch milliseconds. */
const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8 AS ${column}`;

const messageRows = `
  SELECT id, workspace_id, batch_id, channel, "to", content ->> 'text' AS text, idempotency_key, status, status_detail, cost, credits_used,
    provider, provider_message_id, error_code, ${ms('scheduled_at')}, ${ms('created_at')}, ${ms('sent_at')}, ${ms('delivered_at')},
    ${ms('failed_at')}, ${ms('erased_at')}
  FROM messages`;

const deliveryRows = `
  SELECT d.webhook_id, d.event_id, d.status, count(a.number)::integer AS attempts,
    COALESCE(bool_and(a.trigger = 'scheduled'), true) AS is_scheduled
  FROM deliveries d LEFT JOIN delivery_attempts a ON a.delivery_id = d.id
  WHERE d.message_id IS NOT NULL GROUP BY d.id`;
