import assert from 'node:assert/strict';
import { createAcceptGate } from '../../../api/accept/accept-gate.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import type { Answer } from '../start-app.js';
import { useAcceptGate } from './use-accept-gate.js';
import { prices } from '../../support/prices.js';

describe('the accept gate under load', () => {
  const { gate, start, send, untilAsked, untilArrived, sizes } = useAcceptGate();

  it('503 with Retry-After for a send that waited too long, and nothing is charged', async () => {
    await start();
    gate.app.deps.acceptGate = gate.counting(createAcceptGate(gate.app.deps, 100));
    const { key } = await gate.app.account();
    const first = send(key);
    await untilAsked();
    const second = send(key);
    await untilArrived(2);
    await new Promise((resolve) => setTimeout(resolve, 300)); // its wait of 100 ms has begun
    gate.open();
    const { status, body: refused, headers } = await second;
    assert.deepEqual([status, refused.code, headers.get('retry-after')], [503, 'unavailable', '1']);
    assert.equal((await first).status, 201);
    const [{ messages } = {}] = await rows(gate.app.deps.db, 'SELECT count(*) AS messages FROM messages');
    assert.equal(messages, 1);
  });

  it('503 at once for a key with too many sends, and 201 for another key', async () => {
    await start({ ACCEPT_GROUP_MAX: '2' });
    const [flood, other] = [await gate.app.account(), await gate.app.account()];
    // Two a round, which is taken for 750 ms at least, are 3.2 in good time.
    const refused: Answer[] = [];
    const answers = Array.from({ length: 12 }, async () => {
      const answer = await send(flood.key);
      if (answer.status === 503) refused.push(answer);
      return answer.status;
    });
    await until(() => refused.length >= 6, 'half of the flood is refused');
    const polite = send(other.key);
    await untilAsked();
    gate.open();
    assert.equal((await polite).status, 201);
    assert.deepEqual(new Set(await Promise.all(answers)), new Set([201, 503]));
    assert.deepEqual([refused[0]?.headers.get('retry-after'), refused[0]?.headers.has('x-ratelimit-remaining')], ['1', true]);
    const [{ messages } = {}] = await rows(gate.app.deps.db, 'SELECT count(*) AS messages FROM messages');
    assert.equal(messages, 12 - refused.length + 1);
  });

  it('201 for 100 sends at once, also right after the start', async () => {
    await start();
    const { key } = await gate.app.account({ balance: 100 * prices.sms });
    const answers = Array.from({ length: 100 }, () => send(key));
    await untilAsked();
    gate.open();
    assert.deepEqual(new Set((await Promise.all(answers)).map(({ status }) => status)), new Set([201]));
  });

  /** More than ten would only wait inside the servers. After two seconds, on a very busy machine, an accept counts as stuck and others pass it. */
  const assertTenAsked = (begunAt: number) =>
    assert.ok(gate.asked.length === 10 || performance.now() - begunAt > 2_000, `${gate.asked.length} are asked for`);

  it('201 or 503 for 100 sends at once with ACCEPT_GROUP_MAX=1, never 500', async () => {
    await start({ ACCEPT_GROUP_MAX: '1' });
    const { key } = await gate.app.account();
    const begunAt = performance.now();
    let refused = 0;
    const answers = Array.from({ length: 100 }, async () => {
      const { status } = await send(key);
      if (status === 503) refused += 1;
      return status;
    });
    await until(() => refused >= 60 && gate.asked.length >= 10, 'Temporal is busy, and the rest refused');
    assertTenAsked(begunAt);
    gate.open();
    assert.deepEqual(new Set(await Promise.all(answers)), new Set([201, 503]));
    assert.deepEqual(new Set(sizes()), new Set([1]));
    assert.equal(gate.asked.length, 100 - refused);
  });

  it('the accept gate under load accepts ten ungrouped sends at a time, and the others wait', async () => {
    await start();
    const { key } = await gate.app.account();
    const begunAt = performance.now();
    const answers = Array.from({ length: 20 }, () => send(key, { fallback: [{ channel: 'whatsapp', after: 60 }] }));
    await untilArrived(20);
    await until(() => gate.asked.length >= 10, 'ten are asked for');
    await new Promise((resolve) => setTimeout(resolve, 150)); // time for an eleventh
    assertTenAsked(begunAt);
    gate.open();
    assert.deepEqual(new Set((await Promise.all(answers)).map(({ status }) => status)), new Set([201]));
    assert.equal(gate.asked.length, 20);
  });
});
