/** The weeks before, so that charts have a shape: the sums of today with other factors. */
import { connect, select } from '../../models/db/database.js';

const days = 29;

/** Few messages at weekends, the same days in every run. Whole numbers, so that sums stay consistent. */
const factorOf = (day: number): number => {
  const weekday = new Date(Date.now() - day * 86_400_000).getUTCDay();
  return weekday === 0 || weekday === 6 ? 1 : 3 + Math.round(1.5 * Math.sin(day * 2.4));
};

/** Adds sums of earlier days to those of the workspace, which has sent today. */
export async function spreadHistory(databaseUrl: string, workspaceId: string): Promise<void> {
  const db = connect(databaseUrl, 1);
  for (let day = 1; day <= days; day += 1) await select(db, copy, [workspaceId, day, factorOf(day)]);
  await db.close();
}

const copy = `
  INSERT INTO message_rollups (workspace_id, unit, at, channel, measure, key, count)
  SELECT workspace_id, unit, at - make_interval(days => $2::integer), channel, measure, key, sum(count) * $3::integer
  FROM message_rollups WHERE workspace_id = $1 AND at >= date_trunc('day', now(), 'UTC')
  GROUP BY 1, 2, 3, 4, 5, 6
  ON CONFLICT DO NOTHING RETURNING count`;
