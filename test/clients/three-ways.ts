/** Three ways to a service: one that works, one that loses answers, one that refuses connections. */
import assert from 'node:assert/strict';
import type { Database } from '../../models/db/database.js';
import { rows } from '../support/database.js';
import { type FaultMode, type FaultProxy, startFaultProxy } from '../support/network/fault-proxy.js';

/** How many messages a client sends through them. More of them by hand: see test/soak/README.md. */
export const sends = Number(process.env.CLIENT_SENDS ?? 100);

export interface ThreeWays {
  pass: FaultProxy;
  loseAnswers: FaultProxy;
  refuse: FaultProxy;
  close(): Promise<void>;
}

/** @param url of the service */
export async function startThreeWays(url: string): Promise<ThreeWays> {
  const open = async (mode: FaultMode) => Object.assign(await startFaultProxy(new URL(url).host), { mode });
  const [pass, loseAnswers, refuse] = await Promise.all([open('pass'), open('lose-answers'), open('refuse')]);
  return { pass, loseAnswers, refuse, close: async () => void (await Promise.all([pass, loseAnswers, refuse].map((way) => way.close()))) };
}

/** Fails the test unless the workspace has exactly the messages that its client knows: one of each send. @param ids that the client got */
export async function assertSentOnce(db: Database, workspaceId: string, ids: readonly string[]): Promise<void> {
  const stored = await rows<{ id: string; reference: string }>(
    db,
    `SELECT id, reference FROM messages WHERE workspace_id = $1 AND status <> 'accepting'`,
    [workspaceId],
  );
  assert.deepEqual(stored.map(({ id }) => id).toSorted(), ids.toSorted());
  assert.equal(new Set(stored.map(({ reference }) => reference)).size, sends);
}
