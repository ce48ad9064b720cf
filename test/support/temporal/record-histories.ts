/**
 * Records the golden histories into test/histories. Run it when a workflow changes on purpose: `npm run record-histories -- <name> <name>`; without
 * names it writes all.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { cachedPath } from '../../../local/temporal/temporal-program.js';
import { queues, type workflowTypes } from '../../../workflows/contract.js';
import { type Account, bearer, type Json, restClient, until } from '../client.js';
import { rows } from '../database.js';
import { acknowledge, answerWith, startReceiver } from '../network/receiver.js';
import { messageOf, reportOf } from '../rows/messages.js';
import { recordReports } from '../rows/reports.js';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../servers.js';
import { type Service, startService } from '../service.js';

const folder = resolve(import.meta.dirname, '../../../../test/histories');
/** The histories to write. Every workflow runs, because later ones use the rows of earlier ones. */
const wanted = new Set(process.argv.slice(2));
const isWanted = (name: string) => wanted.size === 0 || wanted.has(name);
const known = new Set<string>();

async function record(service: Service, name: string, workflowId: string): Promise<void> {
  const handle = service.temporal.client.workflow.getHandle(workflowId);
  await until(async () => (await handle.describe()).status.name !== 'RUNNING', `${workflowId} closes`);
  known.add(name);
  if (!isWanted(name)) return;
  const { address, namespace } = service.temporal;
  const args = ['workflow', 'show', '--workflow-id', workflowId, '--address', address, '--namespace', namespace, '--output', 'json'];
  const { stdout } = await promisify(execFile)(cachedPath(process.env), args, { maxBuffer: 10_000_000 });
  // Machine names and stack traces are removed. Replay does not need them.
  const history = JSON.parse(stdout, (key, value: unknown) => (key === 'identity' || key === 'stackTrace' ? '' : value));
  writeFileSync(resolve(folder, `${name}.json`), `${JSON.stringify(history)}\n`);
  process.stdout.write(`${name}: ${history.events.length} events\n`);
}

await mochaGlobalSetup();
const service = await startService({ env: { SANDBOX_DELAY_MS: '400', REPORT_TIMEOUT_SMS: '2', WEBHOOK_RETRY_DELAYS: '0.3' } });
const client = restClient(service.url);
mkdirSync(folder, { recursive: true });

const account = await client.signUp();
const send = async (who: Account, message?: Json): Promise<string> => (await client.send(who, message)).id;
const messages: Record<string, Json> = {
  delivered: {},
  'refused-at-hand-off': { to: '+15005550001' },
  'no-report': { to: '+15005550002' },
  'provider-unavailable': { to: '+15005550003' },
  'failed-by-report': { to: '+15005550006' },
  'fallback-begun': { to: '+15005550002', fallback: [{ channel: 'sms', to: '+15551230001', after: 1 }] },
  'fallback-not-needed': { fallback: [{ channel: 'whatsapp', after: 60 }] },
};
await send(account); // the first message of a process takes longer
for (const [name, message] of Object.entries(messages)) await record(service, name, `msg:${await send(account, message)}`);

const scheduled = await send(account, { scheduled_at: new Date(Date.now() + 1_500).toISOString() });
await record(service, 'scheduled', `msg:${scheduled}`);
const cancelled = await send(account, { scheduled_at: new Date(Date.now() + 60_000).toISOString() });
await client.call('POST', `/api/v1/messages/${cancelled}/cancel`, { headers: { 'X-API-Key': account.apiKey } });
await record(service, 'cancelled', `msg:${cancelled}`);

const receiver = await startReceiver();
const subscriber = await client.signUp();
await client.hook(subscriber, receiver.url);
await record(service, 'delivered-with-webhook', `msg:${await send(subscriber)}`);
const bulk = { channel: 'sms', content: { text: 'Hello' }, recipients: ['+15551230001', '+15551230002', '+15551230003'] };
const batchAnswer = await client.call('POST', '/api/v1/messages/bulk', { body: bulk, headers: { 'X-API-Key': subscriber.apiKey } });
const batchId: string = batchAnswer.body.data.batch.id;
await record(service, 'batch', `batch:${batchId}`);
await Promise.all(Array.from({ length: 4 }, () => send(subscriber))); // the first is sent alone, the others as a group
const together = 'batch_id IS NULL AND (SELECT count(*) FROM messages m WHERE m.group_id = g.id) > 1';
const [group] = await rows<{ workflow_id: string }>(service.db, `SELECT workflow_id FROM message_groups g WHERE ${together}`);
await record(service, 'group', group?.workflow_id ?? 'none');
const [page] = await rows<{ id: string }>(service.db, 'SELECT id FROM message_groups WHERE batch_id = $1', [batchId]);
await record(service, 'page', `page:${page?.id}`);
const failing = await startReceiver(answerWith(500));
const unlucky = await client.signUp();
const hook = await client.hook(unlucky, failing.url, ['message.queued']);
await record(service, 'webhook-left-to-retrier', `msg:${await send(unlucky)}`);
await record(service, 'retrier', `retrier:${hook.id}`);
failing.answer = acknowledge;
const again = { headers: bearer(unlucky.token), body: { since: '2020-01-01T00:00:00Z' } };
const { replay } = (await client.call('POST', `/api/v1/webhooks/${hook.id}/replay`, again)).body.data;
await record(service, 'replay', `replay:${replay.id}`);
failing.answer = answerWith(500);
const [mail] = await rows<{ id: string }>(service.db, 'SELECT id FROM mails LIMIT 1');
await record(service, 'mail', `mail:${mail?.id}`);

const { workflow } = service.temporal.client;
/** Starts a workflow under an id of its own, and records it: one that starts only after a fault, or by a schedule. */
const recordStarted = async (name: string, type: keyof typeof workflowTypes, ...args: object[]) => {
  await workflow.start(type, { workflowId: `recorded:${name}`, taskQueue: queues.messages, args });
  await record(service, name, `recorded:${name}`);
};
const [closed] = await rows<{ id: string }>(service.db, "SELECT id FROM messages WHERE status_detail = 'unknown' LIMIT 1");
const late = await messageOf(service.db, closed?.id ?? 'none');
await recordReports(service.db, [reportOf(late, 'delivered')]);
await recordStarted('late-report', 'applyLateReports', { groupId: late.group_id });
await recordStarted('starts', 'startDeliveries', { children: [], retriers: [hook.id] });
await client.call('POST', `/api/v1/webhooks/${hook.id}/test`, { headers: bearer(unlucky.token) });
const [tested] = await rows<{ id: string }>(service.db, "SELECT id FROM deliveries WHERE event = 'webhook.test'");
await record(service, 'attempt', `attempt:${tested?.id}`);
const recoveryId = randomUUID();
await rows(service.db, 'INSERT INTO recoveries (id, as_of, stopped_at) VALUES ($1, now(), now())', [recoveryId]);
await rows(service.db, "INSERT INTO recovery_messages (recovery_id, message_id, kind) VALUES ($1, $2, 'awaiting_report')", [
  recoveryId,
  late.id,
]);
await recordStarted('recovery', 'askRestored', { recoveryId });
await recordStarted('watcher', 'runWatcher');

await service.stop();

const perEvent = await startService({ env: { WEBHOOK_RETRY_DELAYS: '0.3', WEBHOOK_FIRST_ATTEMPT: 'child' } });
const theirs = restClient(perEvent.url);
const each = await theirs.signUp();
await theirs.hook(each, failing.url, ['message.queued']);
await record(perEvent, 'webhook-left-to-child', `msg:${(await theirs.send(each)).id}`);
const [delivery] = await rows<{ id: string }>(perEvent.db, 'SELECT id FROM deliveries ORDER BY seq DESC LIMIT 1');
await record(perEvent, 'webhook-failed', `wh:${delivery?.id}`);

await receiver.close();
await failing.close();
await perEvent.stop();
await mochaGlobalTeardown();

const unknown = [...wanted].filter((name) => !known.has(name));
if (unknown.length > 0) throw new Error(`no such history: ${unknown.join(', ')}; there are ${[...known].join(', ')}`);
