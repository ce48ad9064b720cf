import type { Channel } from '../../channels.js';
import { type Database, select } from '../../db/database.js';

/** Which of these names are on the suppression list of a workspace now. @param names what recipients may be called on the list */
export async function suppressedAmong(db: Database, workspaceId: string, channel: Channel, names: readonly string[]): Promise<Set<string>> {
  const rows = await select<{ recipient: string }>(db, listed, [workspaceId, channel, names]);
  return new Set(rows.map(({ recipient }) => recipient));
}

const listed = `
  SELECT recipient FROM suppressions
  WHERE workspace_id = $1 AND channel = $2 AND recipient = ANY($3::text[]) AND (expires_at IS NULL OR expires_at > now())`;
