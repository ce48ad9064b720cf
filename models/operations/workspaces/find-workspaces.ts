import { type Database, select } from '../../db/database.js';

/** A workspace, as an operator sees it. */
export interface FoundWorkspace {
  id: string;
  name: string;
  email: string;
  /** Thousandths of a credit. */
  balance: number;
  /** What the next credits pay first, in thousandths of a credit. */
  debt: number;
  email_verified: boolean;
  created_at: Date;
  closed_at: Date | null;
  /** The reason of its suspension; null if it is not suspended. */
  suspended: string | null;
}

/** Finds workspaces by their id, or by a part of their name or e-mail address in any case. The newest first. */
export function findWorkspaces(db: Database, text: string, limit: number): Promise<FoundWorkspace[]> {
  return select<FoundWorkspace>(db, find, [text, limit]);
}

// For a person who waits: it reads the whole table.
const find = `
  SELECT w.id, w.name, w.email, w.balance, w.debt, w.email_verified, w.created_at, w.closed_at, s.reason AS suspended
  FROM workspaces w LEFT JOIN suspensions s ON s.workspace_id = w.id
  WHERE w.id::text = lower($1) OR position(lower($1) IN lower(w.email)) > 0 OR position(lower($1) IN lower(w.name)) > 0
  ORDER BY w.id DESC LIMIT $2`;
