/** `npm run bench:repair`: how fast the watcher restarts messages whose workflows are lost, beside many scheduled ones. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connect, type Database, select } from '../../models/db/database.js';
import { auditNow } from '../../models/operations/billing/audit-books.js';
import { openAccount } from '../../harness/load/account.js';
import { type Cleanup, runToExit } from '../../harness/stage/cleanup.js';
import { openWorkbench } from '../../harness/stage/workbench.js';
import { atLeast, atMost } from '../../harness/measure/figures.js';
import { say, sayReport } from '../../harness/report/say.js';

const runMsMax = 60 * 60_000;
const lookEveryMs = 500;
const storedAtOnce = 5_000;
/** The expected minimum rate. */
const perMinuteMin = 3_000;
/** An orphan is sent through the sandbox; a scheduled message waits until tomorrow. */
type Kind = 'orphan' | 'scheduled';

async function run(orphans: number, scheduled: number, groupMax: string, cleanup: Cleanup): Promise<number> {
  say('Starting a service of its own…');
  const { service } = await openWorkbench({ ACCEPT_GROUP_MAX: groupMax }, cleanup);
  const { email } = await openAccount(service.baseUrl);
  const db = connect(service.databaseUrl, 2);
  cleanup.add(() => db.close());
  say(`Storing ${scheduled} messages that wait for tomorrow, and ${orphans} that are due; none has a workflow…`);
  await grant(db, email, (orphans + scheduled) * cost);
  await store(db, email, scheduled, 'scheduled');
  await store(db, email, orphans, 'orphan');
  await select(db, 'ANALYZE');
  say('The plan of the statement that finds due messages:', ...(await plansOf(db)));

  const startedAt = performance.now();
  await select(db, `UPDATE message_groups SET look_at = now() WHERE id IN (SELECT group_id FROM messages WHERE scheduled_at IS NULL)`);
  const seconds = () => (performance.now() - startedAt) / 1000;
  for (let tenth = 1; tenth <= 10; tenth += 1) {
    await untilDelivered(db, Math.round((orphans * tenth) / 10));
    say(`${Math.round((orphans * tenth) / 10)} delivered after ${seconds().toFixed(1)} s`);
  }
  const perMinute = (orphans / seconds()) * 60;
  const auditedAt = performance.now();
  const differences = await auditNow(db, (difference) => say(JSON.stringify(difference)));
  const audited = ((performance.now() - auditedAt) / 1000).toFixed(1);
  return sayReport(
    '',
    `the books were audited in ${audited} s`,
    atLeast('delivered a minute', perMinute, perMinuteMin),
    atMost('differences in the books', differences, 0, 0),
  );
}

const cost = 1_000;

async function grant(db: Database, email: string, credits: number): Promise<void> {
  const sql = `
    WITH moved AS (UPDATE workspaces SET balance = balance + $2, entry_count = entry_count + 1 WHERE email = $1 RETURNING id, balance, entry_count)
    INSERT INTO credit_entries (id, workspace_id, number, kind, amount, balance_after, reference, description)
    SELECT id, id, entry_count, 'grant', $2, balance, 'bench', 'Bench' FROM moved`;
  await select(db, sql, [email, credits]);
}

/** Inserts rows in the state after acceptance. */
async function store(db: Database, email: string, count: number, kind: Kind): Promise<void> {
  for (let stored = 0; stored < count; stored += storedAtOnce)
    await select(db, rowsOf, [email, Math.min(storedAtOnce, count - stored), cost, kind === 'scheduled']);
}

const rowsOf = `
  WITH paid AS (
    UPDATE workspaces SET balance = balance - $2 * $3::bigint, entry_count = entry_count + $2, message_count = message_count + $2
    WHERE email = $1 RETURNING id, balance, entry_count
  ), ids AS (
    SELECT uuidv7() AS id, place FROM generate_series(1, $2::integer) place
  ), grouped AS (
    INSERT INTO message_groups (id, workflow_id, look_at) SELECT id, 'msg:' || id, now() + interval '1 day' FROM ids
  ), charged AS (
    INSERT INTO credit_entries (id, workspace_id, number, kind, amount, balance_after, reference, description)
    SELECT ids.id, paid.id, paid.entry_count - $2 + place, 'debit', -$3::bigint, paid.balance + ($2 - place) * $3::bigint, ids.id, '' FROM ids, paid
  )
  INSERT INTO messages (id, workspace_id, group_id, channel, "to", content, status, status_detail, cost, credits_used, segments, encoding, scheduled_at)
  SELECT ids.id, paid.id, ids.id, 'sms', '+1555' || (2000000 + place), '{"text": "Hello"}', 'queued', CASE WHEN $4 THEN 'scheduled' ELSE 'accepted' END,
    $3, $3, 1, 'GSM-7', CASE WHEN $4 THEN now() + interval '1 day' END
  FROM ids, paid`;

/** The query plans for due messages among all waiting ones. */
async function plansOf(db: Database): Promise<string[]> {
  const sql = `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, SUMMARY ON)
    SELECT id FROM message_groups WHERE closed_at IS NULL AND look_at <= now() ORDER BY look_at LIMIT 500 FOR UPDATE SKIP LOCKED`;
  return (await select<{ 'QUERY PLAN': string }>(db, sql)).map((row) => `  ${row['QUERY PLAN']}`);
}

async function untilDelivered(db: Database, count: number): Promise<void> {
  const sql = `SELECT count(*) AS delivered FROM messages WHERE status = 'delivered'`;
  while (((await select<{ delivered: number }>(db, sql))[0]?.delivered ?? 0) < count) await sleep(lookEveryMs);
}

const { values } = parseArgs({
  options: {
    orphans: { type: 'string', default: '10000' },
    scheduled: { type: 'string', default: '100000' },
    'group-max': { type: 'string', default: '100' },
  },
});
const [orphans, scheduled] = [Number(values.orphans), Number(values.scheduled)];
if (!(orphans >= 10 && scheduled >= 0)) throw new Error('--orphans must be a number from 10 on, --scheduled one from 0 on');
await runToExit(runMsMax, (cleanup) => run(orphans, scheduled, values['group-max'], cleanup));
