/** Keys that are made, used by many at once, and revoked: from the answer on nobody may get in. */
import { DemoClient, Refusal } from '../../local/demo/demo-client.js';
import { closedLoop } from '../../harness/measure/measured-case.js';

export interface KeyCycles {
  cycles: number;
  /** Requests that were let in before the revocation was answered, and those after it. */
  acceptedBefore: number;
  acceptedAfter: number;
  refusedAfter: number;
}

const usersOfKey = 3;
const usesAfter = 5;
const cycleMsMax = 60_000;

/** So many cycles, `side` of them side by side. */
export async function cycleKeys(baseUrl: string, token: string, cycles: number, side: number): Promise<KeyCycles> {
  const counts: KeyCycles = { cycles, acceptedBefore: 0, acceptedAfter: 0, refusedAfter: 0 };
  const run = () => cycle(new DemoClient(baseUrl, AbortSignal.timeout(cycleMsMax)), token, counts);
  await closedLoop(run, { messages: cycles, clients: side });
  return counts;
}

async function cycle(client: DemoClient, token: string, counts: KeyCycles): Promise<void> {
  const { id, key } = await client.call<{ id: string; key: string }>('POST', '/api-keys', { body: { name: 'cycle' }, token });
  await isLetIn(client, key);
  let isRevoked = false;
  /** Counts by what was known when the request began. */
  const use = async () => {
    const beganAfter = isRevoked;
    const isIn = await isLetIn(client, key);
    if (!beganAfter) counts.acceptedBefore += isIn ? 1 : 0;
    else if (isIn) counts.acceptedAfter += 1;
    else counts.refusedAfter += 1;
  };
  const users = Array.from({ length: usersOfKey }, async () => {
    for (let after = 0; after < usesAfter; after += isRevoked ? 1 : 0) await use();
  });
  await client.call('DELETE', `/api-keys/${id}`, { token });
  isRevoked = true;
  await Promise.all(users);
}

async function isLetIn(client: DemoClient, apiKey: string): Promise<boolean> {
  try {
    await client.call('GET', '/messages?limit=1', { apiKey });
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return false;
    throw error;
  }
}
