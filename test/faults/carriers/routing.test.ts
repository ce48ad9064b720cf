import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, type RestClient, restClient, until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { type Service, startService } from '../../support/service.js';
import { refuse, startTwilio, twilioAccount, twilioEnv, type TwilioCounterpart } from '../../support/carriers/twilio.js';
import { prices } from '../../support/prices.js';
import { adminText } from '../../support/run-admin.js';
import { exchangeEveryMs } from '../../../activities/handoff/account-health.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

describe('two accounts that share a channel', () => {
  let first: TwilioCounterpart;
  let second: TwilioCounterpart;
  let service: Service;
  before(async () => {
    [first, second] = await Promise.all([startTwilio(), startTwilio()]);
    service = await startService({
      isHere: true,
      env: {
        ...twilioEnv(first),
        PROVIDER_SMS: 'twilio,second',
        PROVIDER_WHATSAPP: 'sandbox',
        PROVIDER_ACCOUNTS: 'second=twilio',
        SECOND_TWILIO_API_BASE: second.url,
        SECOND_TWILIO_FROM: '+15005550200',
        ROUTE_WINDOW: '3',
        UNKNOWN_HANDOFF_TIMEOUT: '1', // a probe whose answer is lost ends soon
      },
    });
  });
  after(async () => {
    await service?.stop();
    await Promise.all([first?.close(), second?.close()]);
  });
  const callsOf = () => [first.calls, second.calls] as const;
  const levelOf = async () =>
    (await rows<{ level: number }>(service.db, `SELECT level FROM route_health WHERE account = 'twilio'`))[0]?.level ?? 10;
  const forgetHealth = async () => {
    await rows(service.db, 'TRUNCATE route_health, route_changes');
    await sleep(exchangeEveryMs + 100); // the worker reads it anew
  };
  /** Milliseconds until the carrier has a new message, or until it failed. */
  const timeToLeave = async (client: RestClient, account: Account, overrides: object = {}) => {
    const { id } = await client.send(account, overrides);
    // A probe whose answer is lost has no keys to be repeated with: it fails, flagged and refunded.
    const { created_at, sent_at, failed_at } = await client.messageUntil(account, id, ({ status }) => status !== 'queued');
    return Date.parse(sent_at ?? failed_at) - Date.parse(created_at);
  };
  const sendUntilRecovered = async (client: RestClient, account: Account) => {
    const hasItsShare = async () => {
      await client.send(account);
      await sleep(150);
      return (await levelOf()) === 10;
    };
    await until(hasItsShare, 'it has its share again');
  };
  const shortestGap = `
    SELECT min(b.started_at - a.started_at) < interval '1 second' AS "isAtOnce"
    FROM send_attempts a JOIN send_attempts b ON b.message_id = a.message_id AND b.number = a.number + 1
    WHERE a.message_id = ANY($1::uuid[])`;
  const assertTakenOnce = async () => {
    const twice = await rows(
      service.db,
      `SELECT message_id FROM send_attempts WHERE outcome IN ('accepted', 'unknown') GROUP BY message_id HAVING count(DISTINCT provider) > 1`,
    );
    assert.deepEqual(twice, [], 'nothing that one may have taken went to the other');
    const reached = [...first.taken, ...second.taken].map(({ form }) => form.StatusCallback?.split(/message_id=|#/)[1]);
    assert.equal(new Set(reached).size, reached.length);
  };

  it('accounts that share a channel get messages by weight, each with its own sender and reports', async () => {
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    for (let each = 0; each < 40 && Math.min(...callsOf()) === 0; each += 1) {
      const { id } = await client.send(account);
      await client.messageUntil(account, id, ({ status }) => status === 'sent');
    }
    for (const [counterpart, name, from] of [
      [first, 'twilio', twilioAccount.from],
      [second, 'second', '+15005550200'],
    ] as const) {
      const taken = counterpart.taken.at(-1);
      assert.ok(taken !== undefined);
      assert.equal(taken.form.From, from);
      assert.match(taken.form.StatusCallback ?? '', new RegExp(`/callbacks/${name}\\?`));
      assert.equal(await counterpart.report(taken, 'delivered'), 200);
      const id = new URL(taken.form.StatusCallback ?? '').searchParams.get('message_id') ?? '';
      const delivered = await client.messageUntil(account, id, ({ status }) => status === 'delivered');
      assert.equal(delivered.provider, name);
      const { body } = await client.call('GET', `/api/v1/messages/${id}/timeline`, { headers: { 'X-API-Key': account.apiKey } });
      const attempt = body.data.timeline.steps.find(({ type }: { type: string }) => type === 'attempt');
      assert.deepEqual(attempt.details.chosen, { reason: 'share', text: 'by its share of the channel', share_percent: 50 });
    }
  });

  it('accounts that share a channel fail over at once after a refusal, with one charge', async () => {
    first.interfere = (response) => {
      response.writeHead(503).end('{}');
      return true;
    };
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    let isAtOnce: boolean | null = null;
    // A group may go to the other account by its share, and a busy machine may need a second.
    for (let group = 0; group < 20 && isAtOnce !== true; group += 1) {
      const ids = await Promise.all(Array.from({ length: 12 }, async () => (await client.send(account)).id));
      for (const id of ids) {
        const sent = await client.messageUntil(account, id, ({ status }) => status === 'sent');
        assert.deepEqual([sent.provider, sent.credits_used], ['second', toCredits(prices.sms)]);
      }
      isAtOnce = (await rows<{ isAtOnce: boolean | null }>(service.db, shortestGap, [ids]))[0]?.isAtOnce ?? null;
    }
    assert.equal(isAtOnce, true, 'the retry policy would wait for a second or more each time');
    first.interfere = () => false;
    await assertBooks(service.db);
  });

  it('accounts that share a channel lose no message when one has used up its limit of the day', async () => {
    await forgetHealth();
    first.interfere = (response) => refuse(response, 429, 63038);
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    const ids = await Promise.all(Array.from({ length: 30 }, async () => (await client.send(account)).id));
    for (const id of ids) {
      const sent = await client.messageUntil(account, id, ({ status }) => status !== 'queued');
      assert.deepEqual([sent.status, sent.provider, sent.error_code], ['sent', 'second', null]);
    }
    first.interfere = () => false;
    await assertBooks(service.db);
  });

  it('accounts that share a channel lose traffic when one hangs, and get it back when it recovers', async () => {
    await forgetHealth();
    let hangs = true;
    first.interfere = (response) => {
      if (hangs) response.on('close', () => undefined);
      return hangs;
    };
    const client = restClient(service.url, service.db);
    const account = await client.signUp();
    const others: Promise<number>[] = [];
    const smsIds: string[] = [];
    const startedAt = Date.now();
    while ((await levelOf()) > 0) {
      // A call that hangs lasts ten seconds. A busy machine needs longer for all.
      assert.ok(Date.now() - startedAt < 40_000, 'moved');
      smsIds.push((await client.send(account)).id);
      others.push(timeToLeave(client, account, { channel: 'whatsapp' }));
      await sleep(150);
    }
    const called = first.calls;
    const moved = await Promise.all(Array.from({ length: 15 }, () => timeToLeave(client, account)));
    assert.ok(first.calls - called <= 3, 'it gets probes only');
    // Below the ten seconds that a call to the other account lasts, and above what a busy machine takes.
    const times = (await Promise.all(others)).toSorted((one, other) => one - other);
    assert.ok((times[Math.floor(times.length * 0.95)] ?? 0) < 8_000, `p95 of the other channel ${times.join(' ')}`);
    assert.ok(moved.filter((ms) => ms > 8_000).length <= 3, `of those that moved ${moved.join(' ')}`);
    hangs = false;
    await sendUntilRecovered(client, account);
    for (const id of smsIds) await client.messageUntil(account, id, ({ status }) => status !== 'queued');
    await assertTakenOnce();
    await assertBooks(service.db);
  });

  it('accounts that share a channel are shown to operators with their recent changes', async () => {
    const env = { ...twilioEnv(first), PROVIDER_SMS: 'twilio=3,second', PROVIDER_ACCOUNTS: 'second=twilio' };
    const command = (...args: string[]) => adminText({ db: service.db, env }, 'routes', ...args);
    const shown = await command('--changes', '2');
    assert.match(shown, /^sms +twilio +weight +3 +health +\d+ % +share +\d+ %\nsms +second +weight +1 +health 100 % +share +\d+ %\n/);
    assert.match(shown, /\n[-0-9T:.]+Z +twilio: \d+ % → \d+ %, .+\n$/);
    assert.match(await command('--changes', 'all'), /--changes must be a number/);
  });
});
