/** API keys that are created, used concurrently and revoked. After the response to the revocation, no request with the key may succeed. */
import { DemoClient, Refusal } from '../../local/demo/demo-client.js';
import { closedLoop } from '../../harness/load/closed-loop.js';

export interface KeyCycles {
  cycles: number;
  /** Requests that were accepted before the response to the revocation, and after it. */
  acceptedBefore: number;
  acceptedAfter: number;
  refusedAfter: number;
}

const usersOfKey = 3;
const usesAfter = 5;
const cycleMsMax = 60_000;

/** Runs the cycles, `side` of them at the same time. */
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
  /** Counts a request by the state at its start. */
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
