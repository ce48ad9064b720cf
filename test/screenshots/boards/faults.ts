/**
 * Faults that somebody who has only the boards should find within five minutes. `npm run screenshots:boards -- <fault> <folder>` draws the boards
 * with one of them.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cleanup } from '../../../harness/stage/cleanup.js';
import type { PartName } from '../../../harness/stage/service.js';
import { isAlive } from '../../../local/processes/process-identity.js';
import { select } from '../../../models/db/database.js';
import { refuse } from '../../support/carriers/twilio.js';
import { fails } from '../receivers.js';
import type { Installation } from './installation.js';
import { type Entry, repeat, slowDatabase } from './timeline.js';
import { askTooOften } from './traffic.js';

export interface Fault {
  /** Of the service, from its start. */
  settings?: NodeJS.ProcessEnv;
  begin: (installation: Installation, cleanup: Cleanup) => unknown;
}

export const faults: Readonly<Record<string, Fault>> = {
  'failing-carrier': { begin: ({ first }) => (first.interfere = (response) => refuse(response, 503, 20_503)) },
  'receiver-down': { begin: ({ orders }) => (orders.answer = fails) },
  'worker-dead': { begin: (installation, cleanup) => freeze('worker', installation, cleanup) },
  'database-slow': { begin: ({ db }) => slowDatabase(db, 100) },
  drift: { begin: ({ db }) => select(db, 'UPDATE workspaces SET balance = balance + 1000 RETURNING id') },
  'rows-locked': { settings: { DATABASE_POOL_MAX: '5' }, begin: ({ db }) => repeat(10, 100, () => select(db, holdWorkspaces)) },
  'inbox-stuck': { begin: ({ db }) => select(db, stuckReport, [randomUUID()]) },
  'rate-limit-flood': { begin: ({ eager }) => askTooOften(eager, 120) },
  'event-loop-blocked': { begin: (installation, cleanup) => freezeOften('API', 650, 350, installation, cleanup) },
  'tasks-wait': { begin: (installation, cleanup) => freezeOften('worker', 8_000, 2_000, installation, cleanup) },
};

/** The length of a run with a fault, which begins at `plantedAt`. */
export const faultSeconds = 150;
const plantedAt = 30;

/** The only thing that happens beside ordinary traffic. */
export const timelineWith = (name: string, { begin }: Fault, installation: Installation, cleanup: Cleanup): readonly Entry[] => [
  [plantedAt, name, () => begin(installation, cleanup)],
];

/** A report whose messages nobody works on. */
const stuckReport = `
  INSERT INTO delivery_reports (id, provider, provider_message_id, status, occurred_at, received_at, raw, group_id)
  VALUES ($1::uuid, 'sandbox', $1::text, 'delivered', now(), now() - interval '10 minutes', '{}', $1::uuid) RETURNING id`;

/** Locks all workspaces for 12 s, as a forgotten transaction does. Each change of a balance waits, and soon all connections are in use. */
const holdWorkspaces = 'DO $$ BEGIN PERFORM 1 FROM workspaces FOR UPDATE; PERFORM pg_sleep(12); END $$';

/** Ends with the run, because a frozen process does not stop. */
function freeze(part: PartName, { service }: Installation, cleanup: Cleanup): () => void {
  const identity = service.part(part);
  if (identity === undefined || !isAlive(identity)) throw new Error(`there is no ${part}`);
  const unfreeze = () => void (isAlive(identity) && process.kill(identity.pid, 'SIGCONT'));
  process.kill(identity.pid, 'SIGSTOP');
  cleanup.add(unfreeze);
  return unfreeze;
}

const freezeOften = (part: PartName, ms: number, everyMs: number, installation: Installation, cleanup: Cleanup): Promise<void> =>
  repeat(Math.floor((120 * 1_000) / (ms + everyMs)), everyMs, async () => {
    const unfreeze = freeze(part, installation, cleanup);
    await sleep(ms);
    unfreeze();
  });
