import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer } from '../start-app.js';
import { useApi } from '../use-api.js';

const login = '/api/v1/auth/login';
const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };

describe('under attack', () => {
  const app = useApi();

  it('201 for sends during a flood of logins', async () => {
    const { key } = await app.account();
    const answers: Answer[] = [];
    let isOver = false;
    const attack = async () => {
      // One address alone would be locked after five tries.
      while (!isOver)
        answers.push(await app.call('POST', login, { body: { email: `${randomUUID()}@example.com`, password: randomUUID() } }));
    };
    const flood = Array.from({ length: 340 }, attack); // more than may wait for their turn
    while (!answers.some(({ status }) => status === 503)) await nextTurn();
    for (let number = 1; number <= 3; number += 1) {
      const sent = await app.call('POST', '/api/v1/messages/send', { key, body: sms });
      assert.equal(sent.status, 201);
    }
    isOver = true;
    await Promise.all(flood);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([401, 503]));
    for (const { body, headers } of answers.filter(({ status }) => status === 503)) {
      assert.deepEqual([body.error, body.code], ['The service is busy. Please try again later.', 'unavailable']);
      assert.equal(headers.get('retry-after'), '1');
    }
    assert.equal((await app.call('POST', login, { body: { email: 'nobody@example.com', password: 'x' } })).status, 401, 'and it is over');
  });

  it('401 for every request of a key after it was revoked', async () => {
    const { jwt } = await app.account();
    const cycle = async () => {
      const { body } = await app.call('POST', '/api/v1/api-keys', { jwt, body: { name: 'cycle' } });
      const { id, key } = body.data as { id: string; key: string };
      assert.equal((await app.call('GET', '/api/v1/messages', { key })).status, 200);
      let isRevoked = false;
      let refusedAfter = 0;
      const use = async () => {
        while (refusedAfter < 4) {
          const beganAfter = isRevoked;
          const { status, body: answer } = await app.call('GET', '/api/v1/messages', { key });
          if (!beganAfter) continue;
          assert.deepEqual([status, answer.error], [401, 'API key has been deactivated']);
          refusedAfter += 1;
        }
      };
      const users = [use(), use(), use()];
      assert.equal((await app.call('DELETE', `/api/v1/api-keys/${id}`, { jwt })).status, 200);
      isRevoked = true;
      await Promise.all(users);
    };
    const rounds = async () => {
      for (let round = 0; round < 4; round += 1) await cycle();
    };
    await Promise.all(Array.from({ length: 10 }, rounds));
  });
});
