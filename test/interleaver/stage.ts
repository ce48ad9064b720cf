/** The database of the interleaver: worlds come and go in it. */
import pg from 'pg';
import { rowsOf } from './rows.js';
import type { World } from './world.js';

/** In the order in which they refer to each other. */
const tables = ['workspaces', 'credit_entries', 'webhooks', 'batches', 'message_groups', 'messages', 'send_attempts', 'delivery_reports'];
const alsoWritten = ['events', 'deliveries', 'suppressions', 'audit_events', 'status_moves'];
/** Rows that are gone leave their places behind until then. */
const vacuumEvery = 50;

/** Every change of a message's status, also one that a later one covers. */
const watchStatuses = `
  CREATE TABLE status_moves (message_id uuid, workspace_id uuid, "from" text, "to" text);
  CREATE FUNCTION note_status_move() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO status_moves VALUES (OLD.id, OLD.workspace_id, OLD.status, CASE TG_OP WHEN 'DELETE' THEN 'gone' ELSE NEW.status END);
    RETURN NULL;
  END $$;
  CREATE TRIGGER note_status_move AFTER UPDATE OF status OR DELETE ON messages FOR EACH ROW EXECUTE FUNCTION note_status_move();`;

export class Stage {
  readonly #client: pg.Client;
  #cleared = 0;

  constructor(url: string) {
    this.#client = new pg.Client({ connectionString: url });
  }

  async open(): Promise<void> {
    await this.#client.connect();
    await this.#client.query(watchStatuses);
    // Neither foreign keys nor triggers: rows come and go in any order, also those of the ledger, which is append-only otherwise.
    await this.#client.query('SET session_replication_role = replica');
  }

  close = () => this.#client.end();

  /** Writes the rows of worlds. */
  async set(worlds: readonly World[]): Promise<void> {
    const rows = worlds.map(rowsOf);
    const parts = tables.map((table, index) => {
      const columns = columnsOf[table] as string;
      return `t${index} AS (INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $${index + 1}))`;
    });
    const values = tables.map((table) => JSON.stringify(rows.flatMap((each) => each[table] ?? [])));
    await this.#client.query({ name: 'set', text: `WITH ${parts.join(', ')} SELECT 1`, values });
  }

  /** Removes all rows. */
  async clear(): Promise<void> {
    const parts = [...tables, ...alsoWritten].map((table) => `t_${table} AS (DELETE FROM ${table})`);
    await this.#client.query({ name: 'clear', text: `WITH ${parts.join(', ')} SELECT 1` });
    this.#cleared += 1;
    if (this.#cleared % vacuumEvery === 0) await this.#client.query(`VACUUM ${[...tables, ...alsoWritten].join(', ')}`);
  }
}

const columnsOf: Readonly<Record<string, string>> = {
  workspaces: 'id, name, email, password_hash, balance, entry_count, message_count, spend_limit_day, spend_day, spent_today',
  credit_entries: 'id, workspace_id, number, kind, amount, balance_after, reference, description',
  webhooks: 'id, workspace_id, url, events, secret',
  batches: 'id, workspace_id, channel, status, total, accepted, cost',
  message_groups: 'id, workflow_id, reports_pending, closed_at, batch_id, page, announced_at',
  messages: `id, workspace_id, group_id, batch_id, channel, "to", content, status, status_detail, cost, credits_used, provider,
    provider_message_id, sent_at, delivered_at, failed_at`,
  send_attempts: 'message_id, number, provider, outcome, provider_message_id',
  delivery_reports: 'id, provider, provider_message_id, status, occurred_at, raw, message_id, group_id',
};
