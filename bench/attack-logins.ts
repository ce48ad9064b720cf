/** Logins as an attack: what a flood of them costs those who send, and whether their time tells who has an account. */
import { randomUUID } from 'node:crypto';
import { percentiles } from './pass.js';

export interface Flood {
  /** Answers by status. */
  statuses: Map<number, number>;
  /** Resolves when every login is answered. */
  stop(): Promise<void>;
}

const logIn = (baseUrl: string, email: string) =>
  fetch(`${baseUrl}/api/v1/auth/login`, { method: 'POST', body: JSON.stringify({ email, password: 'not the right one' }) }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
  );

/** So many clients that log in again and again, every other time to an account that exists. */
export function floodLogins(baseUrl: string, known: string, clients: number): Flood {
  const statuses = new Map<number, number>();
  let isOver = false;
  const client = async () => {
    for (let time = 0; !isOver; time += 1) {
      const status = await logIn(baseUrl, time % 2 === 0 ? known : `${randomUUID()}@tidings.invalid`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const clients_ = Array.from({ length: clients }, client);
  return {
    statuses,
    stop: async () => {
      isOver = true;
      await Promise.all(clients_);
    },
  };
}

/** Medians in milliseconds of a failed login, in turn with an address that is known and one that is not. */
export async function loginMedians(baseUrl: string, email: string, pairs: number): Promise<{ known: number; unknown: number }> {
  const times = { known: [] as number[], unknown: [] as number[] };
  const timed = async (kind: keyof typeof times, address: string) => {
    const startedAt = performance.now();
    await logIn(baseUrl, address);
    times[kind].push(performance.now() - startedAt);
  };
  for (let pair = 0; pair < pairs; pair += 1) {
    const other = `${randomUUID().slice(0, email.indexOf('@'))}@tidings.invalid`;
    const both = [() => timed('known', email), () => timed('unknown', other)];
    for (const login of pair % 2 === 0 ? both : both.toReversed()) await login();
  }
  return { known: percentiles(times.known).p50, unknown: percentiles(times.unknown).p50 };
}
