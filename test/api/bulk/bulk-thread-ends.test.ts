/** A request that needs too much memory ends the bulk thread. The batches of other requests in the thread are stored, and may be charged. */
import assert from 'node:assert/strict';
import { type BulkThread, createBulkThread } from '../../../api/bulk-thread/create-bulk-thread.js';
import type { Temporal } from '../../../api/outside/temporal.js';
import { UrgentWork } from '../../../models/flow/give-way.js';
import { testEnv } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { toNamed } from '../../support/bulk-requests.js';
import { temporalAway } from '../accept/use-acceptance.js';
import type { Account, Answer } from '../start-app.js';
import { useApi } from '../use-api.js';

const path = '/api/v1/messages/bulk';
const huge = `{"channel":"sms","content":{"text":"x"},"recipients":[${'{},'.repeat(1_300_000)}{}]}`;

describe('bulk sends whose thread ends', () => {
  let thread: BulkThread;
  after(() => thread.stop()); // before its database is dropped
  const app = useApi({ checksBooks: true });
  let accept: Temporal['acceptBatch'];
  let inPlace: typeof app.deps.bulkThread;
  let account: Account;
  let other: Account;
  before(() => {
    const { config, temporal, bulkThread } = app.deps;
    ({ acceptBatch: accept } = temporal);
    inPlace = bulkThread;
    thread = createBulkThread({
      env: testEnv({ DATABASE_URL: config.databaseUrl }),
      deps: app.deps,
      urgent: new UrgentWork(),
      sends: { isRecent: false },
      heap: { maxMegabytes: 48 },
    });
  });
  beforeEach(async () => {
    app.deps.bulkThread = thread;
    [account, other] = [await app.account(), await app.account()];
  });
  afterEach(() => {
    app.deps.temporal.acceptBatch = accept;
  });

  const post = (key?: string): Promise<Answer> =>
    app.call('POST', path, { key: account.key, body: toNamed, headers: key === undefined ? {} : { 'Idempotency-Key': key } });
  /** Another workspace sends what does not fit into the memory of the thread. */
  const endThread = async () => assert.equal((await app.call('POST', path, { key: other.key, body: huge as never })).status, 500);
  const stored = () =>
    rows<{ id: string; status: string; debits: number }>(
      app.deps.db,
      `SELECT id, status, (SELECT count(*) FROM credit_entries e WHERE e.workspace_id = b.workspace_id AND kind = 'debit') AS debits
      FROM batches b WHERE workspace_id = $1`,
      [account.workspaceId],
    );

  it('201 for a batch that was accepted before the thread ended, and its repeated request is not charged again', async () => {
    app.deps.temporal.acceptBatch = async (asked) => {
      const answer = await accept(asked);
      await endThread();
      return answer;
    };
    const first = await post('k');
    assert.deepEqual([first.status, first.headers.get('idempotent-replayed')], [201, null]);
    assert.deepEqual(await stored(), [{ id: first.body.data.batch.id, status: 'sending', debits: 1 }]);
    const again = await post('k');
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed'), again.body], [201, 'true', first.body]);
    assert.equal((await stored())[0]?.debits, 1);
  });

  it('201 for a batch that was undecided when the thread ended, once its workflow accepts it', async () => {
    let asks = 0;
    app.deps.temporal.acceptBatch = async (asked) => {
      asks += 1;
      if (asks > 1) return accept(asked);
      await endThread();
      return temporalAway();
    };
    const { status, body } = await post();
    assert.equal(status, 201);
    assert.deepEqual(await stored(), [{ id: body.data.batch.id, status: 'sending', debits: 1 }]);
  });

  it('500 for a batch whose workflow never answers, and nothing of it remains to be charged', async () => {
    let asks = 0;
    app.deps.temporal.acceptBatch = async () => {
      asks += 1;
      if (asks === 1) await endThread();
      return temporalAway();
    };
    const { status, headers } = await post();
    assert.deepEqual([status, headers.get('retry-after'), await stored()], [500, '1', []]);
  });

  it('201 for a repeated request in the thread, if the batch of the first one was accepted', async () => {
    app.deps.bulkThread = inPlace; // as in another process
    let first: Promise<Answer> | undefined;
    const releaseFirst = await new Promise<() => void>((isAsked) => {
      app.deps.temporal.acceptBatch = async (asked) => {
        await new Promise<void>((release) => isAsked(release));
        return accept(asked);
      };
      first = post('k');
    });
    app.deps.bulkThread = thread;
    app.deps.temporal.acceptBatch = async (asked) => {
      const answer = await accept(asked);
      await endThread();
      return answer;
    };
    const again = await post('k');
    releaseFirst();
    const { status, body } = (await first) as Answer;
    assert.deepEqual([status, again.status, again.headers.get('idempotent-replayed'), again.body], [201, 201, 'true', body]);
    assert.deepEqual(await stored(), [{ id: body.data.batch.id, status: 'sending', debits: 1 }]);
  });

  it('500 for a repeated bulk send whose thread ends before it looks for the batch, and 201 for the next', async () => {
    const first = await post('k');
    const ending: BulkThread = {
      ...thread,
      runHandler: (...call) => {
        const answer = thread.runHandler(...call);
        void thread.stop();
        return answer;
      },
    };
    app.deps.bulkThread = ending;
    const again = await post('k');
    assert.deepEqual([first.status, again.status, again.headers.get('retry-after')], [201, 500, '1']);
    app.deps.bulkThread = thread;
    const next = await post('k');
    assert.deepEqual([next.status, next.headers.get('idempotent-replayed'), next.body], [201, 'true', first.body]);
    assert.equal((await stored())[0]?.debits, 1);
  });
});
