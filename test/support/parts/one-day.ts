/** Tests of what is counted by day of UTC. */
import { setTimeout as sleep } from 'node:timers/promises';

const dayMs = 86_400_000;
const lastMs = 20_000;

/** A hook: waits for the next day of UTC if the present one ends within 20 seconds, so that what follows is on one day. */
export async function inOneDay(): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs);
  if (leftMs < lastMs) await sleep(leftMs);
}
