/** Ports for the servers that tests start. */
import { randomInt } from 'node:crypto';
import { portFault } from '../../../models/network/free-port.js';

/** Below the ports that the product takes, and without 10080, which browsers and `fetch` refuse. */
const lowest = 11_000;
/** Test files that run at the same time take theirs from different parts. */
const parts = 3;
const partSize = 3_000;
const first = lowest + (Number(process.env.MOCHA_WORKER_ID ?? 0) % parts) * partSize;
const given = new Set<number>();

/**
 * Finds a port of loopback that is free, and that no other server of these tests gets later: a server that restarts finds its port free.
 * @throws Error if none is free
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < partSize; tries += 1) {
    const port = randomInt(first, first + partSize);
    if (given.has(port)) continue;
    given.add(port);
    if ((await portFault(port, '127.0.0.1')) === undefined) return port;
  }
  throw new Error('No port of 127.0.0.1 is free');
}
