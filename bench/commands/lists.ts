/** `npm run bench:lists`: how long the pages of the message list take, for each filter, in a workspace with very many messages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { channels } from '../../models/channels.js';
import { connect, type Database, select } from '../../models/db/database.js';
import { openAccount } from '../../harness/load/account.js';
import { percentiles } from '../../harness/measure/pass.js';
import { type Cleanup, runToExit } from '../../harness/stage/cleanup.js';
import { openWorkbench } from '../../harness/stage/workbench.js';
import { say } from '../../harness/report/say.js';

const runMsMax = 30 * 60_000;
const storedAtOnce = 50_000;
/** The expected maximum of each list's 95th percentile. */
const p95Max = 50;
/** Adds the messages to the sums by hour and day. */
const countAll = readFileSync(join(import.meta.dirname, '../../../models/migrations/0039-count-messages.sql'), 'utf8');
/** Days over which the messages are spread. */
const days = 100;

async function run(messages: number, reads: number, cleanup: Cleanup): Promise<number> {
  say('Starting a service of its own…');
  const { service } = await openWorkbench({ RATE_LIMIT_API: '1000000/60', RATE_LIMIT_WORKSPACE: '1000000/60' }, cleanup);
  const { apiKey, email } = await openAccount(service.baseUrl);
  const db = connect(service.databaseUrl, 2);
  cleanup.add(() => db.close());
  say(`Storing ${messages} messages…`);
  await store(db, email, messages);
  await db.transaction((transaction) => db.query(countAll, { transaction }));
  await select(db, 'ANALYZE messages');
  const read = async (path: string): Promise<Answer> => {
    const response = await fetch(`${service.baseUrl}/api/v1/messages?limit=50&${path}`, { headers: { 'X-API-Key': apiKey } });
    if (!response.ok) throw new Error(`${response.status} for ${path}: ${await response.text()}`);
    return ((await response.json()) as { data: Answer }).data;
  };
  let isSlow = false;
  for (const [name, filter] of lists(messages)) {
    const { p50, p95, found } = await timed(read, filter, reads);
    isSlow ||= p95 > p95Max;
    say(`${p95 > p95Max ? '✗' : '✓'} ${name.padEnd(30)} p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms; ${found}`);
  }
  return isSlow ? 1 : 0;
}

interface Answer {
  messages: { id: string }[];
  pagination: { total: number | null; next_cursor: string | null };
}

/** Half of the reads are first pages, half follow the cursor. */
async function timed(read: (path: string) => Promise<Answer>, filter: string, reads: number) {
  await read(filter); // the plan is made, the pages of the table are read
  const times: number[] = [];
  let found = '';
  for (let index = 0, cursor: string | null = null; index < reads; index += 1) {
    const begunAt = performance.now();
    const { messages, pagination }: Answer = await read(cursor === null ? filter : `${filter}&cursor=${cursor}`);
    times.push(performance.now() - begunAt);
    if (cursor === null) found = `${messages.length} on a page, ${pagination.total} in all`;
    cursor = index % 2 === 0 ? pagination.next_cursor : null;
  }
  return { ...percentiles(times), found };
}

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString();

const lists = (messages: number): [name: string, filter: string][] => [
  ['all', ''],
  ...['queued', 'sent', 'delivered', 'failed', 'read'].map((status): [string, string] => [`status ${status}`, `status=${status}`]),
  ...channels.map((channel): [string, string] => [`channel ${channel}`, `channel=${channel}`]),
  ['recipient', `to=${encodeURIComponent('+15552000007')}`],
  ['reference', `reference=order-${Math.floor(messages / 2)}`],
  ['a day', `start_date=${day(31)}&end_date=${day(30)}`],
  ['the last day', `start_date=${day(1)}`],
  ['before a day', `end_date=${day(90)}`],
  ['failed e-mails', 'status=failed&channel=email'],
  ['failed on a day', `status=failed&start_date=${day(31)}&end_date=${day(30)}`],
];

async function store(db: Database, email: string, messages: number): Promise<void> {
  for (let stored = 0; stored < messages; stored += storedAtOnce)
    await select(db, rowsOf, [email, stored, Math.min(messages, stored + storedAtOnce) - 1, messages, days]);
}

/** Oldest first. One in 50 failed; one in 100,000 is queued, one sent, one read; one in 20 is an e-mail, one in 1,000 a WhatsApp message. */
const rowsOf = `
  WITH owner AS (
    UPDATE workspaces SET message_count = message_count + $3::integer - $2::integer + 1 WHERE email = $1 RETURNING id
  ), numbered AS (
    SELECT n, ($4::integer - n)::float8 / $4 * $5::integer * interval '1 day' AS age FROM generate_series($2::integer, $3::integer) n
  ), aged AS (
    SELECT n, uuidv7(-age) AS id, now() - age AS at FROM numbered
  ), grouped AS (
    INSERT INTO message_groups (id, workflow_id, look_at, closed_at) SELECT id, 'msg:' || id, at, at FROM aged
  )
  INSERT INTO messages (id, workspace_id, group_id, channel, "to", reference, content, status, status_detail, cost, credits_used, segments, encoding, created_at,
    sent_at, delivered_at, failed_at, read_at)
  SELECT aged.id, owner.id, aged.id,
    CASE WHEN n % 1000 = 7 THEN 'whatsapp' WHEN n % 20 = 3 THEN 'email' ELSE 'sms' END, '+1555' || (2000000 + n % 100000), 'order-' || n,
    '{"text": "Hello"}',
    CASE WHEN n % 50 = 3 THEN 'failed' WHEN n % 100000 = 9 THEN 'queued' WHEN n % 100000 = 19 THEN 'sent' WHEN n % 100000 = 29 THEN 'read'
      ELSE 'delivered' END,
    'delivered', 1000, 1000, 1, 'GSM-7', at,
    CASE WHEN n % 100000 <> 9 THEN at END, CASE WHEN n % 50 <> 3 AND n % 100000 NOT IN (9, 19) THEN at END, CASE WHEN n % 50 = 3 THEN at END,
    CASE WHEN n % 100000 = 29 THEN at END
  FROM aged, owner ORDER BY n`;

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { messages: { ...text, default: '1000000' }, reads: { ...text, default: '40' } } });
const [messages, reads] = [Number(values.messages), Number(values.reads)];
if (!(messages >= 1_000 && reads >= 2)) throw new Error('--messages must be a number from 1,000 on, --reads one from 2 on');
await runToExit(runMsMax, (cleanup) => run(messages, reads, cleanup));
