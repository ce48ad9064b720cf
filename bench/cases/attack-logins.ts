/** Attacks with logins: the effect of a flood on sends, and whether response times reveal which accounts exist. */
import { randomUUID } from 'node:crypto';
import { percentiles } from '../../harness/measure/pass.js';

export interface Flood {
  /** Number of responses by status. */
  statuses: Map<number, number>;
  /** Resolves when every login has a response. */
  stop(): Promise<void>;
}

const logIn = (baseUrl: string, email: string) =>
  fetch(`${baseUrl}/api/v1/auth/login`, { method: 'POST', body: JSON.stringify({ email, password: 'not the right one' }) }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
  );

/** Sends logins at a fixed rate, without waiting for responses. Every second one is for an existing account. */
export function floodLogins(baseUrl: string, known: string, perSecond: number): Flood {
  const statuses = new Map<number, number>();
  const open = new Set<Promise<void>>();
  let count = 0;
  const attempt = async () => {
    const status = await logIn(baseUrl, count % 2 === 0 ? known : `${randomUUID()}@tidings.invalid`).catch(() => 0);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  const timer = setInterval(() => {
    count += 1;
    const one = attempt().finally(() => open.delete(one));
    open.add(one);
  }, 1000 / perSecond);
  return {
    statuses,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}

/**
 * The median durations of a failed login in milliseconds, for a known and an unknown address in turn.
 * @param forget makes the service forget the attempts so far: it verifies no password while attempts for an address are blocked
 */
export async function loginMedians(baseUrl: string, email: string, pairs: number, forget: () => Promise<unknown>) {
  const times = { known: [] as number[], unknown: [] as number[] };
  const timed = async (kind: keyof typeof times, address: string) => {
    const startedAt = performance.now();
    const status = await logIn(baseUrl, address);
    times[kind].push(performance.now() - startedAt);
    if (status !== 401) throw new Error(`a login with a wrong password was answered ${status}`);
  };
  for (let pair = 0; pair < pairs; pair += 1) {
    await forget();
    const other = `${randomUUID().slice(0, email.indexOf('@'))}@tidings.invalid`;
    const both = [() => timed('known', email), () => timed('unknown', other)];
    for (const login of pair % 2 === 0 ? both : both.toReversed()) await login();
  }
  return { known: percentiles(times.known).p50, unknown: percentiles(times.unknown).p50 };
}
