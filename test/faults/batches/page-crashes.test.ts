import assert from 'node:assert/strict';
import type { DispatchTarget } from '../../../activities/handoff/dispatch.js';
import { dispatcher, messageActivities } from '../../../activities/messages.js';
import { Tracer } from '../../../activities/webhooks/post-trace.js';
import type { WebhookPoster } from '../../../activities/webhooks/post-webhook.js';
import { Attempts } from '../../../activities/webhooks/attempts.js';
import { groupActivities } from '../../../activities/groups/groups.js';
import type { Database } from '../../../models/db/database.js';
import { buildAcceptedBatch, type BuiltBatch } from '../../support/rows/batches.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { useDatabase } from '../../support/for-each.js';
import { type Doom, openDoomedPool } from '../../support/network/doomed-pool.js';
import { buildWebhook, buildWorkspace } from '../../support/rows/factories.js';
import { inActivity, silentStarts } from '../../support/temporal/in-activity.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { balanceOf, messageOf, reportOf } from '../../support/rows/messages.js';
import { recordReports } from '../../support/rows/reports.js';
import { everywhere, type StubProvider, stubProvider, silentLogger as logger } from '../../support/carriers/stub-provider.js';

const size = 3;
const attemptsMax = 4;
const config = testConfig();

/** The worker dies at each of its statements in turn, and another one goes on where Temporal says: with the activity that was not answered. */
describe('a page whose worker dies', () => {
  const test = useDatabase();

  it('each message of a page is sent, charged and delivered once after a crash at any statement', async () => {
    const { statements, calledAfter } = await livePage();
    assert.ok(statements > 20, `${statements} statements`);
    // Before each statement: this meets every gap, after the calls that are made in it.
    for (let at = 1; at <= statements; at += 1) await livePage({ at, when: 'before' });
    // After a statement that a call follows: the call is not made. After the last one: nobody hears that all is done.
    for (const at of new Set([...calledAfter, statements])) await livePage({ at, when: 'after' });
    await assertBooks(test.db);
  });

  /** A page from its acceptance to its end. @returns how many statements the worker needed, and after which it called somebody */
  async function livePage(doom?: Doom): Promise<{ statements: number; calledAfter: Set<number> }> {
    const { id: workspaceId } = await buildWorkspace(test.db, 10_000);
    await buildWebhook(workspaceId, 'https://one.example.test/');
    const batch = await buildAcceptedBatch(test.db, workspaceId, [size]);
    const [refused = ''] = batch.pages[0]?.ids ?? [];
    const pool = openDoomedPool(test.url, doom);
    const calledAfter = new Set<number>();
    const noteCall = () => calledAfter.add(pool.statements());
    const provider = stubProvider(({ id }) => {
      noteCall();
      return id === refused
        ? { outcome: 'rejected', error_code: '30008', error_message: 'Unknown destination' }
        : { outcome: 'accepted', provider_message_id: `p-${id}` };
    });
    const posted: string[] = [];
    const post = (eventId: string) => {
      noteCall();
      posted.push(eventId);
    };
    const worker = workerOn(pool.db, provider, post);
    const successor = workerOn(test.db, provider, post);
    await drive(batch, worker, successor);
    const statements = pool.statements();
    await pool.close();
    const what = doom === undefined ? 'alive' : `dead ${doom.when} statement ${doom.at}`;
    await assertWhole({ workspaceId, batch, refused, provider, posted }, what);
    return { statements, calledAfter };
  }

  const workerOn = (db: Database, provider: StubProvider, post: (eventId: string) => void) => {
    const poster: WebhookPoster = {
      post: async (_url, headers) => {
        post(headers['webhook-id'] as string);
        const nothingOdd = { responseStatus: 200, responseBody: '', retryAfter: undefined, error: null };
        return { at: new Date(), durationMs: 1, ...new Tracer().trace(), ...nothingOdd };
      },
      close: () => undefined,
    };
    // The process is dead at once: it repeats no write, and no call of it is under way.
    const deps = { db, config, logger, providers: everywhere(provider), starts: silentStarts, leaseSeconds: 0, persistMs: 0 };
    const handOff = dispatcher(deps);
    const messages = messageActivities(deps, handOff);
    const attempts = new Attempts({ db, config, poster });
    const dispatch = async (target: DispatchTarget) => {
      const dispatched = await handOff(target);
      await reportAll(target.groupId); // before the activity takes the silence for the end
      return dispatched;
    };
    return { ...messages, ...groupActivities({ db, config, attempts, dispatch }) };
  };
  type Worker = ReturnType<typeof workerOn>;

  /** What the provider reports about all that it took. */
  async function reportAll(groupId: string): Promise<void> {
    const taken = await rows<{ id: string }>(test.db, `SELECT id FROM messages WHERE group_id = $1 AND status = 'sent'`, [groupId]);
    for (const { id } of taken) await recordReports(test.db, [reportOf(await messageOf(test.db, id), 'delivered', { provider: 'stub' })]);
  }

  /** What the workflow of a page does. Each step is done by the first worker, and until it succeeds by its successor. */
  async function drive({ id, pages }: BuiltBatch, worker: Worker, successor: Worker): Promise<void> {
    const { groupId } = pages[0] as BuiltBatch['pages'][number];
    const step = async <Result>(work: (by: Worker, attempt: number) => Promise<Result>): Promise<Result> => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await work(attempt === 1 ? worker : successor, attempt);
        } catch (error) {
          if (attempt === attemptsMax) throw error;
        }
      }
    };
    await step((by) => by.openPage(groupId));
    while ((await step((by, attempt) => inActivity(by.sendGroup, [groupId, id], attempt))).queued > 0);
    await reportAll(groupId);
    while (!(await step((by, attempt) => inActivity(by.driveGroup, [groupId, true, true], attempt))).isOver);
  }

  interface Lived {
    workspaceId: string;
    batch: BuiltBatch;
    refused: string;
    provider: StubProvider;
    posted: string[];
  }

  async function assertWhole({ workspaceId, batch, refused, provider, posted }: Lived, what: string): Promise<void> {
    const messages = await rows<{ id: string; status: string }>(test.db, 'SELECT id, status FROM messages WHERE batch_id = $1', [batch.id]);
    for (const { id, status } of messages) assert.equal(status, id === refused ? 'failed' : 'delivered', what);
    assert.equal(new Set(provider.calls).size, size, what);
    assert.ok(provider.calls.length <= 2 * size, `${what}: called ${provider.calls.length} times`);
    assert.equal(await balanceOf(test.db, workspaceId), 10_000 - (size - 1) * 1_000, what);
    const events = await rows<{ id: string; type: string }>(test.db, 'SELECT id, type FROM events WHERE workspace_id = $1', [workspaceId]);
    assert.deepEqual(
      events.map(({ type }) => type).toSorted(),
      [
        'message.delivered',
        'message.delivered',
        'message.failed',
        'message.queued',
        'message.queued',
        'message.queued',
        'message.sent',
        'message.sent',
      ],
      what,
    );
    assert.deepEqual([...new Set(posted)].toSorted(), events.map(({ id }) => id).toSorted(), `${what}: every event was delivered`);
    const waiting = await rows(test.db, `SELECT 1 FROM deliveries WHERE message_id = ANY($1::uuid[]) AND status <> 'succeeded'`, [
      messages.map(({ id }) => id),
    ]);
    assert.deepEqual(waiting, [], what);
    const [stored] = await rows<{ status: string }>(test.db, 'SELECT status FROM batches WHERE id = $1', [batch.id]);
    assert.equal(stored?.status, 'completed', what);
  }
});
