import assert from 'node:assert/strict';
import { busy } from '../../../models/errors.js';
import { generateApiKey } from '../../../models/rules/accounts/api-key.js';
import { ApiKey } from '../../../models/tables/api-key.js';
import type { Answer, CallOptions, TestApp } from '../start-app.js';
import { useApiStarts } from '../use-api.js';

const path = '/api/v1/messages/send';
const message = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };

describe('the early refusal of sends', () => {
  const startApi = useApiStarts();
  let app: TestApp;
  const startFull = async (env: NodeJS.ProcessEnv = {}) => {
    app = await startApi(env);
    app.deps.acceptGate.isFullFor = () => true;
    app.deps.acceptGate.enter = () => {
      throw busy();
    };
  };
  const send = (options: CallOptions, query = '') => app.call('POST', path + query, { body: message, ...options });

  /** An account whose key this process has looked up. */
  const knownAccount = async () => {
    const account = await app.account();
    assert.equal((await app.call('GET', '/api/v1/messages', { key: account.key })).status, 200, 'the key is known');
    return account;
  };
  /** An account whose known key was revoked. Its send is still refused early, without a look-up. */
  const revokedAccount = async () => {
    const account = await knownAccount();
    await ApiKey.update({ is_active: false }, { where: { workspace_id: account.workspaceId } });
    assert.equal((await send({ key: account.key })).status, 503);
    return account;
  };

  /** Headers and body but for what is of one request. */
  const shapeOf = ({ status, headers, body }: Answer) => {
    const { request_id: requestId, ...words } = body;
    assert.equal(headers.get('x-request-id'), requestId);
    const own = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
    return { status, words, headers: [...headers].filter(([name]) => !own.includes(name)) };
  };

  /** Moves the clock of credentials, not that of rate limits. */
  const aMinuteLater = async (run: () => Promise<void>) => {
    const { now } = performance;
    performance.now = () => now.call(performance) + 61_000;
    try {
      await run();
    } finally {
      performance.now = now;
    }
  };

  it('503 for a send that is refused early, with the same body and headers as from the application', async () => {
    await startFull({ CORS_ORIGINS: 'https://app.example' });
    const headers = { Origin: 'https://app.example' };
    const { key } = await knownAccount();
    const atDoor = await send({ key, headers });
    const inside = await send({ key, headers }, '?');
    assert.deepEqual(shapeOf(atDoor), shapeOf(inside));
    assert.equal(atDoor.status, 503);
    assert.equal(atDoor.headers.get('retry-after'), '1');
    const [left, then] = [atDoor, inside].map((answer) => Number(answer.headers.get('x-ratelimit-remaining'))) as [number, number];
    assert.equal(left - then, 1);
    assert.deepEqual(app.calls, []);
  });

  it('the early refusal of sends returns the request id of the client', async () => {
    await startFull();
    const { key } = await app.account();
    assert.equal((await send({ key, headers: { 'X-Request-Id': 'mine-1' } })).body.request_id, 'mine-1');
  });

  it('401 for a revoked key after a minute of early refusals, and from then on', async () => {
    await startFull();
    const { key } = await revokedAccount();
    await aMinuteLater(async () => {
      for (const attempt of ['the first', 'the next']) {
        const { status, body } = await send({ key });
        assert.deepEqual([status, body.error], [401, 'API key has been deactivated'], attempt);
      }
    });
  });

  it('401 for a revoked key also if its rate limit was used up when the minute of early refusals ended', async () => {
    await startFull({ RATE_LIMIT_API: '2/60' });
    const { key, workspaceId } = await revokedAccount();
    await aMinuteLater(async () => {
      assert.equal((await send({ key })).status, 429);
      const { id } = await ApiKey.findOne({ where: { workspace_id: workspaceId }, rejectOnEmpty: true });
      for (let counted = 0; counted < 3; counted += 1) app.deps.limiter.giveBack({ rateClass: 'api', key: id });
      const { status, body } = await send({ key });
      assert.deepEqual([status, body.error], [401, 'API key has been deactivated'], 'in the next window');
    });
  });

  it('the early refusal of sends passes on one send of a valid key when it was not looked up for a minute', async () => {
    await startFull();
    const { key } = await knownAccount();
    let entered = 0;
    app.deps.acceptGate.enter = () => {
      entered += 1;
      throw busy();
    };
    assert.deepEqual([(await send({ key })).status, entered], [503, 0]);
    await aMinuteLater(async () => {
      for (const attempt of ['the first', 'the next']) assert.deepEqual([(await send({ key })).status, entered], [503, 1], attempt);
    });
  });

  it('429 for refused sends above the rate limit', async () => {
    await startFull({ RATE_LIMIT_API: '2/60' });
    const { key } = await app.account();
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => send({ key })));
    const counted = [503, 429].map((status) => answers.filter((answer) => answer.status === status));
    assert.deepEqual(
      counted.map(({ length }) => length),
      [2, 3],
    );
    const [, [{ headers, body }]] = counted as [Answer[], [Answer]];
    assert.equal(body.error, `Rate limit exceeded. Try again in ${headers.get('retry-after')} seconds.`);
  });

  it('the early refusal of sends passes on sends of other keys', async () => {
    await startFull();
    const [full, other] = [await app.account(), await app.account()];
    for (const { key } of [full, other]) assert.equal((await app.call('GET', '/api/v1/messages', { key })).status, 200, 'they are known');
    const refused = new Set<string>();
    app.deps.acceptGate.enter = () => () => undefined;
    app.deps.acceptGate.isFullFor = (key) => {
      refused.add(key);
      return refused.size === 1;
    };
    assert.equal((await send({ key: full.key })).status, 503);
    assert.equal((await send({ key: other.key })).status, 201);
  });

  it('the early refusal of sends passes on other calls, and sends without a valid key', async () => {
    await startFull();
    const { key } = await app.account();
    assert.equal((await app.call('GET', '/api/v1/messages', { key })).status, 200);
    assert.equal((await app.call('POST', '/api/v1/messages/preview', { key, body: message })).status, 200);
    assert.equal((await app.call('PUT', path, { key, body: message })).status, 404);
    app.deps.acceptGate.enter = () => () => undefined;
    for (const options of [{}, { key: 'nonsense' }]) assert.equal((await send(options)).status, 401);
    assert.equal((await send({ key: generateApiKey() })).status, 401, 'whose turn it would be is not known of a key that is nobody’s');
  });
});
