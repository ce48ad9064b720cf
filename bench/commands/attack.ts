/** `npm run bench:attack`: overload, floods of logins, a faulty Redis, timing of logins, and keys that are revoked under load. */
import { parseArgs } from 'node:util';
import { connect, select } from '../../models/db/database.js';
import { type Account, openAccount } from '../../harness/load/account.js';
import { cycleKeys } from '../cases/attack-keys.js';
import { floodLogins, loginMedians } from '../cases/attack-logins.js';
import { overload } from '../cases/attack-overload.js';
import { type SickRedis, startSickRedis } from '../cases/attack-redis.js';
import { chosenBy } from '../../harness/report/only-option.js';
import { type Cleanup, runToExit } from '../../harness/stage/cleanup.js';
import { createSender, type Sender } from '../../harness/load/sender.js';
import { type Service, startService } from '../../harness/stage/service.js';
import { temporaryFolder } from '../../harness/stage/temporary-folder.js';
import { type SteadySends, steadySends, formatLatency } from '../../harness/load/steady-sends.js';
import { numbersFrom } from '../../harness/report/number-options.js';
import { say, sayVerdict } from '../../harness/report/say.js';

const runMsMax = 20 * 60_000;
/** The maximum increase of the 99th percentile of sends by a faulty Redis. */
const addedMsMax = 300;
/** More than the service can check: a password takes about 15 ms, and one or two are checked at a time. */
const loginsPerSecond = 200;
/** The maximum difference between the medians of logins. */
const differenceMax = 0.05;

interface Target {
  service: Service;
  baseUrl: string;
  account: Account;
  sender: Sender;
  redis: SickRedis;
  cleanup: Cleanup;
}

/** Each attack prints its observations and returns the violated expectations. */
const attacks: Record<string, (target: Target, seconds: number) => Promise<string[]>> = {
  flood,
  logins,
  keys,
  redis: sickRedis,
  overload: async ({ service, account, cleanup }, seconds) => {
    const { lines, violations } = await overload(service, account.apiKey, seconds, cleanup);
    say('', ...lines);
    return violations;
  },
};

async function flood({ baseUrl, account, sender }: Target, seconds: number): Promise<string[]> {
  say('', 'sends', `  quiet                  ${formatLatency(await steadySends(sender, seconds))}`);
  const logins = floodLogins(baseUrl, account.email, loginsPerSecond);
  const sends = await steadySends(sender, seconds);
  await logins.stop();
  const statuses = [...logins.statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  say(`  during a flood         ${formatLatency(sends)}`, `  the logins meanwhile   ${statuses}`);
  // 429: too many tries for the known account. 503: too many passwords wait to be checked.
  const others = [...logins.statuses.keys()].filter((status) => ![401, 429, 503].includes(status));
  return [...failedSends('during the flood', sends), ...others.map((status) => `a login was answered ${status}`)];
}

async function logins({ service, baseUrl, account, cleanup }: Target): Promise<string[]> {
  const db = connect(service.databaseUrl, 1);
  cleanup.add(() => db.close());
  const { known, unknown } = await loginMedians(baseUrl, account.email, 300, () => select(db, 'DELETE FROM login_tries'));
  const difference = Math.abs(known - unknown) / Math.min(known, unknown);
  say(
    '',
    `logins, medians          known ${known.toFixed(2)} ms, unknown ${unknown.toFixed(2)} ms: ${(difference * 100).toFixed(1)} % apart`,
  );
  return difference > differenceMax ? ['the time of a login reveals whether there is an account'] : [];
}

async function keys({ baseUrl, account, sender }: Target): Promise<string[]> {
  const load = steadySends(sender, 10);
  const { cycles, acceptedBefore, acceptedAfter, refusedAfter } = await cycleKeys(baseUrl, account.token, 1000, 10);
  const after = `after it ${acceptedAfter} accepted, ${refusedAfter} refused`;
  say('', `keys, ${cycles} cycles       ${acceptedBefore} uses accepted before the answer to the revocation, ${after}`);
  return [...failedSends('while keys were revoked', await load), ...(acceptedAfter > 0 ? ['a revoked key was accepted'] : [])];
}

async function sickRedis({ sender, redis }: Target, seconds: number): Promise<string[]> {
  say('', 'sends, Redis');
  const violations: string[] = [];
  for (const [state, fail] of [
    ['frozen', redis.freeze],
    ['slow', redis.slowDown],
    ['killed', redis.kill],
  ] as const) {
    const before = await steadySends(sender, seconds);
    await fail();
    const during = await steadySends(sender, seconds);
    await redis.heal();
    const addedMs = during.p99 - before.p99;
    say(
      `  before                 ${formatLatency(before)}`,
      `  ${state.padEnd(22)} ${formatLatency(during)}; p99 ${addedMs < 0 ? '' : '+'}${addedMs.toFixed(0)} ms`,
    );
    violations.push(
      ...failedSends(`with Redis ${state}`, during),
      ...(addedMs > addedMsMax ? [`Redis ${state} adds ${addedMs.toFixed(0)} ms`] : []),
    );
  }
  return violations;
}

const failedSends = (when: string, { failed }: SteadySends) => (failed === 0 ? [] : [`${failed} sends failed ${when}`]);

async function run(only: string, seconds: number, cleanup: Cleanup): Promise<number> {
  const chosen = chosenBy(only, Object.entries(attacks), ([name]) => name);
  say('Starting a Redis and a service of its own…');
  const folder = temporaryFolder('attack', cleanup);
  const redis = await startSickRedis(folder, cleanup);
  const service = await startService(
    folder,
    { REDIS_URL: redis.url, RATE_LIMIT_AUTH: '1000000/60', RATE_LIMIT_LOGIN: '1000000/60' },
    cleanup,
  );
  const { baseUrl } = service;
  const account = await openAccount(baseUrl);
  const target = { service, baseUrl, account, redis, cleanup, sender: createSender(baseUrl, account.apiKey) };
  await steadySends(target.sender, 5); // warm-up
  const violations: string[] = [];
  for (const [, attack] of chosen) violations.push(...(await attack(target, seconds)));
  say('');
  return sayVerdict(violations);
}

const { values } = parseArgs({ options: { only: { type: 'string', default: '' }, seconds: { type: 'string', default: '20' } } });
const { seconds } = numbersFrom(1, { seconds: values.seconds });
await runToExit(runMsMax, (cleanup) => run(values.only, seconds, cleanup));
