import { type Database, select } from '../../db/database.js';

/** The second factor of a workspace, without its secret. */
export interface TotpState {
  /** Null if none is enabled, also while one is only offered. */
  enabledAt: Date | null;
  /** Unused recovery codes of the enabled one. */
  recoveryCodesLeft: number;
}

/** Whether a second factor is enabled, since when, and how many of its recovery codes are left (at most ten rows are counted). */
export async function readTotp(db: Database, workspaceId: string): Promise<TotpState> {
  const [row] = await select<{ totp_confirmed_at: Date | null; codes_left: number }>(db, read, [workspaceId]);
  return { enabledAt: row?.totp_confirmed_at ?? null, recoveryCodesLeft: row?.codes_left ?? 0 };
}

const read = `
  SELECT w.totp_confirmed_at, (
    SELECT count(*)::integer FROM recovery_codes c
    WHERE c.workspace_id = w.id AND c.used_at IS NULL AND w.totp_confirmed_at IS NOT NULL) AS codes_left
  FROM workspaces w WHERE w.id = $1`;
