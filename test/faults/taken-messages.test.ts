import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { phones } from '../support/bulk-requests.js';
import { type Account, type RestClient, restClient, until } from '../support/client.js';
import { cutConnections, rows } from '../support/database.js';
import { assertBooks } from '../../harness/checks/invariants.js';
import type { Child } from '../support/parts/child.js';
import { type Service, startService } from '../support/service.js';
import { startTwilio, twilioEnv, type TwilioCounterpart } from '../support/carriers/twilio.js';

const answerMs = 2_000;
/** One round calls for so many at once. */
const messages = 20;

/** Twilio takes no idempotency key: what it took without our knowledge is lost, unless a report names it. */
describe('messages accepted by a carrier without idempotency keys', () => {
  let counterpart: TwilioCounterpart;
  let service: Service;
  let client: RestClient;
  let account: Account;
  before(async () => {
    counterpart = await startTwilio();
    service = await startService({ isHere: true, env: twilioEnv(counterpart) });
    client = restClient(service.url, service.db);
  });
  beforeEach(async () => {
    // It takes the message at once and answers late: the worst order.
    Object.assign(counterpart, { taken: [], calls: 0, answerAfterMs: answerMs, interfere: () => false });
    account = await client.signUp();
  });
  afterEach(() => assertBooks(service.db));
  after(async () => {
    await service?.stop();
    await counterpart?.close();
  });

  const sendAll = () =>
    Promise.all(phones(messages).map((to) => client.send(account, { to, channel: 'sms', content: { text: `to ${to}` } })));
  const underWay = () => until(() => counterpart.taken.length > 0, 'calls are under way');
  /** No call is on its way. One that is would be of unknown outcome after a kill, or after a pause that outlives its connection. */
  const allTaken = () => until(() => counterpart.taken.length === messages, 'every call has reached the carrier');
  const ended = async (ids: string[]) => {
    const open = async () =>
      rows<{ id: string }>(service.db, `SELECT id FROM messages WHERE id = ANY($1::uuid[]) AND status = 'queued'`, [ids]);
    await until(async () => (await open()).length === 0, 'nothing is queued');
    return rows<{ status: string; error_code: string | null }>(
      service.db,
      'SELECT status, error_code FROM messages WHERE id = ANY($1::uuid[])',
      [ids],
    );
  };
  const allSent = Array.from({ length: messages }, () => ({ status: 'sent', error_code: null }));
  const idsOf = (sent: { id: string }[]) => sent.map(({ id }) => id);

  it('messages are sent once when the database closes all connections during the answers', async () => {
    const sent = await sendAll();
    await underWay();
    for (const end = Date.now() + 2 * answerMs; Date.now() < end; await sleep(50)) await cutConnections(service.db).catch(() => undefined);
    assert.deepEqual(await ended(idsOf(sent)), allSent);
    assert.equal(counterpart.calls, messages, 'each was called for once');
  });

  it('messages are delivered by their reports when the worker is killed during the calls', async () => {
    const doomed = await service.workerToKill();
    const sent = await sendAll();
    await allTaken();
    await doomed.kill();
    const taken = counterpart.taken.length;
    await service.worker.start();
    for (const message of counterpart.taken.slice(0, taken)) assert.equal(await counterpart.report(message, 'delivered'), 200);
    const ends = await ended(idsOf(sent));
    assert.equal(ends.filter(({ status }) => status === 'failed').length, 0);
    assert.equal(counterpart.calls, messages, 'each was called for once');
  });

  describe('whose worker process goes on or ends in good order', () => {
    let workerProcess: Child;
    before(async () => {
      workerProcess = await service.workerToKill();
    });

    it('messages are sent once when the worker is frozen for longer than its heartbeat', async () => {
      const sent = await sendAll();
      await allTaken();
      workerProcess.freeze();
      await sleep(12_000); // its heartbeat is missed after ten
      workerProcess.unfreeze();
      assert.deepEqual(await ended(idsOf(sent)), allSent);
      assert.equal(counterpart.calls, messages, 'each was called for once');
    });

    it('messages are sent once when the worker is stopped during the calls, and it exits 0', async () => {
      const sent = await sendAll();
      await underWay();
      assert.equal(await workerProcess.stop(), 0);
      const taken = counterpart.taken.length;
      const recorded = await rows(service.db, `SELECT id FROM messages WHERE status = 'sent' AND id = ANY($1::uuid[])`, [idsOf(sent)]);
      assert.equal(recorded.length, taken, 'every answer is recorded before the end');
      await service.worker.start();
      assert.deepEqual(await ended(idsOf(sent)), allSent);
      assert.equal(counterpart.calls, messages, 'each was called for once');
    });
  });
});
