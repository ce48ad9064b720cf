/** The client against a running service, through a network that loses answers, refuses connections and breaks streams. */
import assert from 'node:assert/strict';
import { type StreamEvent, Tidings } from '../../clients/typescript/client/index.js';
import { assertBooks } from '../../harness/checks/invariants.js';
import { randomOf } from '../chaos/random.js';
import { restClient, until } from '../support/client.js';
import { type Service, startService } from '../support/service.js';
import { assertSentOnce, sends, startThreeWays, type ThreeWays } from './three-ways.js';
import { prices } from '../support/prices.js';
import { toCredits } from '../../models/rules/billing/credits.js';

/** @param chance from 0 up to 1 */
function wayOf(chance: number): 'pass' | 'loseAnswers' | 'refuse' {
  if (chance < 0.2) return 'loseAnswers';
  return chance < 0.25 ? 'refuse' : 'pass';
}

describe('the TypeScript client behind a network with faults', () => {
  let service: Service;
  let ways: ThreeWays;
  before(async () => {
    service = await startService({ isHere: true, env: { SIGNUP_CREDITS: String(2 * sends), SANDBOX_DELAY_MS: '1' } });
    ways = await startThreeWays(service.url);
  });
  after(async () => {
    await ways?.close();
    await service.stop();
  });

  it('the TypeScript client makes one message of each send, none twice, where answers are lost', async function () {
    this.timeout(180_000);
    const random = randomOf(19);
    const account = await restClient(service.url).signUp();
    const taken = { pass: 0, loseAnswers: 0, refuse: 0 };
    const tidings = new Tidings({
      apiKey: account.apiKey,
      baseUrl: service.url,
      retries: 20,
      fetch: (url, init) => {
        const through = new URL(url as URL);
        const way = wayOf(random.next());
        taken[way] += 1;
        through.host = ways[way].address;
        return fetch(through, init);
      },
    });
    const ids: string[] = [];
    let next = 0;
    const sendSome = async () => {
      while (next < sends) {
        const reference = String((next += 1));
        ids.push((await tidings.messages.send({ to: '+15551234567', channel: 'sms', content: { text: 'Hello' }, reference })).id);
      }
    };
    await Promise.all(Array.from({ length: 20 }, sendSome));
    assert.ok(taken.loseAnswers > sends / 10 && taken.refuse > sends / 50, JSON.stringify(taken));
    await assertSentOnce(service.db, account.workspaceId, ids);
    assert.equal((await tidings.balance()).balance, toCredits(sends * (2_000 - prices.sms)));
    await assertBooks(service.db);
  });

  it('the TypeScript client shows each event once on a stream that breaks again and again', async () => {
    const rest = restClient(service.url);
    const account = await rest.signUp();
    const proxy = ways.pass;
    const ending = new AbortController();
    const seen: StreamEvent[] = [];
    let opened = 0;
    const tidings = new Tidings({ apiKey: account.apiKey, baseUrl: `http://${proxy.address}` });
    const reading = (async () => {
      for await (const event of tidings.stream({ signal: ending.signal, onOpen: () => (opened += 1) })) seen.push(event);
    })();
    await until(() => opened === 1, 'the stream opens');
    for (let round = 1; round <= 3; round += 1) {
      for (let count = 0; count < 5; count += 1) await rest.send(account);
      proxy.reset();
      for (let count = 0; count < 5; count += 1) await rest.send(account);
      await until(() => opened === round + 1 && seen.length >= 30 * round, `round ${round}`);
    }
    ending.abort(new Error('enough'));
    await assert.rejects(reading, /^Error: enough$/);
    const steps = seen.map(({ event, data }) => `${'message_id' in data ? data.message_id : ''} ${event}`);
    assert.deepEqual([steps.length, new Set(steps).size], [90, 90]);
    assert.ok(seen.every(({ raw, event, timestamp, data }) => raw === JSON.stringify({ event, timestamp, data })));
  });
});
