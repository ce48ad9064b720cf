/** `npm run bench:long`: one batch of 100,000, ten times what a call may carry, from its rows to its last event; memory and disk at every tenth. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { type BulkBody } from '../../api/endpoints/bulk/bulk-schemas.js';
import { newBatch, pagesOf } from '../../api/endpoints/bulk/new-batch.js';
import { connectTemporal } from '../../api/outside/temporal.js';
import { loadConfig } from '../../models/settings/config.js';
import { connect, type Database, select } from '../../models/db/database.js';
import { insertBatch } from '../../models/operations/batches/insert-batch.js';
import { planBulk } from '../../models/rules/bulk/bulk.js';
import { assertBooks } from '../../harness/checks/invariants.js';
import { openAccount } from '../../harness/load/account.js';
import { type Cleanup, runToExit } from '../../harness/stage/cleanup.js';
import { growthLines, type Size, sizeHead, sizeLine, sizeNow, tenths } from '../../harness/measure/growth.js';
import { happyEvents } from '../../harness/load/receiver.js';
import { openWorkbench, type Workbench } from '../../harness/stage/workbench.js';
import { say, sayReport } from '../../harness/report/say.js';

const runMsMax = 40 * 60_000;
const lookEveryMs = 500;

async function run(recipients: number, cleanup: Cleanup): Promise<number> {
  say('Starting a service of its own…');
  const bench = await openWorkbench({}, cleanup);
  const { email, subscribe } = await openAccount(bench.service.baseUrl);
  bench.receiver.trust(await subscribe(bench.receiver.url));
  const db = connect(bench.service.databaseUrl, 2);
  cleanup.add(() => db.close());

  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const { batchId, acceptMs } = await accept(bench, db, await workspaceOf(db, email), recipients);
  say(`${recipients} rows stored and accepted in ${seconds().toFixed(1)} s, the decision in ${acceptMs.toFixed(0)} ms`, '');
  say(sizeHead);
  const sizes: Size[] = [];
  for (let tenth = 0; tenth <= tenths; tenth += 1) {
    const delivered = Math.round((recipients * tenth) / tenths);
    await untilDelivered(db, batchId, delivered);
    sizes.push(await sizeNow(bench, db, delivered, seconds()));
    say(sizeLine(sizes));
  }
  await untilReceived(bench, recipients * happyEvents.length);
  await assertBooks(db);
  return sayReport('', `all events received after ${seconds().toFixed(1)} s; the books balance`, ...growthLines(sizes));
}

/** As `POST /messages/bulk` does, with a higher limit. */
async function accept(bench: Workbench, db: Database, workspaceId: string, count: number): Promise<{ batchId: string; acceptMs: number }> {
  const recipients = Array.from({ length: count }, (_, index) => ({
    to: `+1555${2_000_000 + index}`,
    variables: { number: String(index) },
  }));
  const content = { text: 'Hello {{name|friend}}, your number is {{number}}.' };
  const plan = await planBulk({ channel: 'sms', content, recipients }, { max: count });
  const body: BulkBody = { channel: 'sms', content, recipients, plan };
  const batch = newBatch({ workspaceId }, body, { newId: uuidv7(), idempotencyKey: null, digest: null });
  await insertBatch(db, batch, pagesOf(batch, body));
  const { service } = bench;
  const env = { DATABASE_URL: service.databaseUrl, TEMPORAL_ADDRESS: service.temporalAddress, JWT_SECRET: secret, SECRET_KEY: secret };
  const temporal = connectTemporal(loadConfig(env));
  const startedAt = performance.now();
  const { accepted } = await temporal.acceptBatch({ batchId: batch.id, workspaceId, channel: 'sms', traceparent: null });
  await temporal.close();
  if (!accepted) throw new Error('the batch was not accepted');
  return { batchId: batch.id, acceptMs: performance.now() - startedAt };
}

/** Not used, and asked for by the settings. */
const secret = 'bench-bench-bench-bench-bench-bench';

async function workspaceOf(db: Database, email: string): Promise<string> {
  const [workspace] = await select<{ id: string }>(db, 'SELECT id FROM workspaces WHERE email = $1', [email]);
  if (workspace === undefined) throw new Error(`no workspace of ${email}`);
  return workspace.id;
}

async function untilDelivered(db: Database, batchId: string, count: number): Promise<void> {
  const sql = `SELECT count(*) AS delivered FROM messages WHERE batch_id = $1 AND status = 'delivered'`;
  while (((await select<{ delivered: number }>(db, sql, [batchId]))[0]?.delivered ?? 0) < count) await sleep(lookEveryMs);
}

async function untilReceived({ receiver }: Workbench, count: number): Promise<void> {
  while (receiver.counts.received < count) await sleep(lookEveryMs);
}

const { values } = parseArgs({ options: { recipients: { type: 'string', default: '100000' } } });
const recipients = Number(values.recipients);
if (!(recipients >= tenths)) throw new Error(`--recipients must be a number from ${tenths} on`);
await runToExit(runMsMax, (cleanup) => run(recipients, cleanup));
