/** Whether a connection to PostgreSQL is one session, with the settings of the program. Behind a pooler it is not. */
import { settingNames } from '../../../models/db/connection-options.js';
import { type Database, onConnection, select } from '../../../models/db/database.js';
import { directConnectionText, remedyOf } from '../../../models/db/explain-database-error.js';
import { type Check, failed, ok, warning } from '../check.js';

const subject = 'PostgreSQL sessions';
const triesMax = 3;

export const sessionsCheck: Check = {
  subject,
  fix: (error) => remedyOf(error) ?? 'Check PostgreSQL first',
  async run({ db }) {
    const dropped = await droppedSettings(db);
    if (dropped.length > 0)
      return [failed(subject, `a pooler drops the session settings, the first is ${dropped[0]}`, directConnectionText)];
    if (await changesServer(db)) return [warning(subject, 'a pooler gives each transaction another server process', directConnectionText)];
    return [ok(subject, 'have the settings of the program')];
  },
};

/** The settings that no start message set in this session, and no SET of a pooler that passes them on. */
async function droppedSettings(db: Database): Promise<string[]> {
  const names = settingNames.map((name) => `'${name}'`).join(', ');
  const sql = `SELECT name FROM pg_settings WHERE lower(name) IN (${names}) AND source NOT IN ('client', 'session') ORDER BY name`;
  return (await select<{ name: string }>(db, sql)).map(({ name }) => name);
}

/**
 * Uses a prepared statement again, after the transaction of another connection has begun: a pooler in transaction mode gives that transaction the
 * server process of the first use. That can fail if other connections are used at the same time.
 * @throws Error if the statement does not exist any more
 */
function changesServer(db: Database): Promise<boolean> {
  return onConnection(db, async (run) => {
    const pid = async () => ((await run('SELECT pg_backend_pid() AS pid, $1::integer AS one', [1])) as { pid: number }[])[0]?.pid;
    for (let left = triesMax; left > 0; left -= 1) {
      const first = await pid();
      const second = await db.transaction(async (transaction) => {
        await select(db, 'SELECT 1 AS one', [], transaction);
        return pid();
      });
      if (second !== first) return true;
    }
    return false;
  });
}
