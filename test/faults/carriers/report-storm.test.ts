/** Ten thousand reports, shuffled, repeated, forged, early and late: every message ends in the right status, with one event. */
import assert from 'node:assert/strict';
import type { HandoffResult } from '../../../models/operations/handoff/record-handoffs.js';
import { rows } from '../../support/database.js';
import { buildWebhook, buildWorkspace } from '../../support/rows/factories.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { buildQueuedGroup, claimAll, routedTo } from '../../support/rows/messages.js';
import { applyReports, giveUpOnReports, recordHandoffs } from '../../support/rows/reports.js';
import { nowhere } from '../../support/carriers/counterpart.js';
import { metaEnv } from '../../support/carriers/meta.js';
import {
  accountOf,
  type Callback,
  callbacksOf,
  chooser,
  endOf,
  type ReportedChannel,
  type ReportedMessage,
  type Statement,
} from '../../support/carriers/report-storm.js';
import { sendgridEnv } from '../../support/carriers/sendgrid.js';
import { twilioEnv } from '../../support/carriers/twilio.js';
import { useApi } from '../../api/use-api.js';

/** Carriers of sms report one message a request. */
const counts: [ReportedChannel, groups: number, size: number][] = [
  ['whatsapp', 8, 250],
  ['email', 5, 250],
  ['sms', 1, 60],
];
const seed = 7;

describe('ten thousand reports', () => {
  const { chance, choose, shuffled, life } = chooser(seed);
  const woken = new Set<string>();
  const groups: string[] = [];
  const handoffs: HandoffResult[][] = [];
  const messages: ReportedMessage[] = [];
  const app = useApi({
    env: { ...twilioEnv(nowhere), ...metaEnv(nowhere), ...sendgridEnv(nowhere) },
    temporal: { wake: async ({ groupId }) => void woken.add(groupId) },
  });

  before(async () => {
    const { id } = await buildWorkspace(app.deps.db, 100_000_000);
    await buildWebhook(id, 'https://one.example.test/');
    for (const [channel, groups, size] of counts) for (let group = 0; group < groups; group += 1) await claimGroup(id, channel, size);
  });

  /** A group whose hand-off is under way: the carrier has the messages, we have no answer yet. */
  async function claimGroup(workspaceId: string, channel: ReportedChannel, size: number): Promise<void> {
    const to = channel === 'email' ? 'ada@example.org' : '+15551234567';
    const overrides = Array.from({ length: size }, () => ({ channel, to }));
    const { groupId } = await buildQueuedGroup(app.deps.db, workspaceId, overrides);
    const claims = await claimAll(app.deps.db, groupId, routedTo(accountOf));
    assert.equal(claims.length, size);
    groups.push(groupId);
    messages.push(...claims.map((claim) => ({ id: claim.id, channel, providerMessageId: `p-${claim.id}`, said: life(channel) })));
    handoffs.push(
      claims.map((claim) => ({
        id: claim.id,
        attempt: claim.attempt,
        provider: accountOf[channel],
        outcome: 'accepted',
        provider_message_id: `p-${claim.id}`,
      })),
    );
  }

  /** Posts them, some at once, while what they wake is applied beside them, as workflows do. */
  async function post(statements: readonly Statement[], forged: readonly Statement[] = []): Promise<void> {
    const { publicUrl } = app.deps.config;
    const of = (from: readonly Statement[], channel: ReportedChannel, isForged: boolean) =>
      callbacksOf(
        channel,
        from.filter(({ message }) => message.channel === channel),
        publicUrl,
        isForged,
      );
    const callbacks = shuffled(counts.flatMap(([channel]) => [...of(statements, channel, false), ...of(forged, channel, true)]));
    let isPosting = true;
    const applied = applyWhile(() => isPosting);
    await Promise.all(Array.from({ length: 6 }, () => postAll(callbacks)));
    isPosting = false;
    await applied;
  }

  async function postAll(callbacks: Callback[]): Promise<void> {
    for (let next = callbacks.pop(); next !== undefined; next = callbacks.pop()) {
      const { path, body, headers, isForged } = next;
      const response = await fetch(app.url + path, { method: 'POST', body, headers });
      await response.arrayBuffer();
      assert.equal(response.status, isForged ? 403 : 200);
    }
  }

  async function applyWhile(goesOn: () => boolean): Promise<void> {
    while (goesOn() || woken.size > 0) {
      const [groupId] = woken;
      if (groupId === undefined) await new Promise((resolve) => setImmediate(resolve));
      else {
        woken.delete(groupId);
        await applyReports(app.deps.db, groupId);
      }
    }
  }

  it('ten thousand reports end every message like the oracle, with one terminal event each', async () => {
    const said = shuffled(messages.flatMap((message) => message.said.map((status) => ({ message, status }))));
    const repeated = said.filter(() => chance(0.45)); // 30 % of all that comes
    const forged = Array.from({ length: 500 }, () => ({ message: choose(messages), status: choose(['delivered', 'failed'] as const) }));
    const early = said.filter(() => chance(0.05));
    const late = said.filter((statement) => !early.includes(statement) && chance(0.05));
    const inTime = said.filter((statement) => !early.includes(statement) && !late.includes(statement));
    const total = said.length + repeated.length + forged.length;
    assert.ok(total >= 10_000, `${total} reports`);

    await post(early);
    for (const results of handoffs) await recordHandoffs(app.deps.db, results);
    for (const groupId of groups) await applyReports(app.deps.db, groupId);
    await post(shuffled([...inTime, ...repeated.filter((statement) => !late.includes(statement))]), forged);
    for (const groupId of groups) await giveUpOnReports(app.deps.db, groupId); // a day has gone
    await post(shuffled([...late, ...repeated.filter((statement) => late.includes(statement))]));

    const statuses = new Map(
      (await rows<{ id: string; status: string }>(app.deps.db, 'SELECT id, status FROM messages')).map(({ id, status }) => [id, status]),
    );
    assert.deepEqual(
      messages.filter((message) => statuses.get(message.id) !== endOf(message)).map(({ id, said: all }) => [id, all, statuses.get(id)]),
      [],
    );
    await assertEvents();
    const [inbox] = await rows<{ stored: number; waiting: number }>(
      app.deps.db,
      'SELECT count(*)::int AS stored, count(*) FILTER (WHERE applied_at IS NULL)::int AS waiting FROM delivery_reports',
    );
    assert.deepEqual(inbox, { stored: said.length, waiting: 0 });
    await assertBooks(app.deps.db);
  });

  /** What subscribers received: the end once, and nothing that no report contained. */
  async function assertEvents(): Promise<void> {
    const events = await rows<{ message_id: string; types: string[] }>(
      app.deps.db,
      `SELECT message_id, array_agg(type ORDER BY seq) AS types FROM events WHERE type IN ('message.delivered', 'message.failed') GROUP BY message_id`,
    );
    const told = new Map(events.map(({ message_id, types }) => [message_id, types]));
    for (const message of messages) {
      const types = told.get(message.id) ?? [];
      const end = endOf(message);
      const lastEvent = end === 'failed' ? 'message.failed' : 'message.delivered';
      assert.equal(types.at(-1), end === 'sent' ? undefined : lastEvent, JSON.stringify(message));
      assert.equal(new Set(types).size, types.length, JSON.stringify([message, types]));
      if (types.length > 1) assert.ok(message.said.includes('failed'), JSON.stringify([message, types]));
    }
  }
});
