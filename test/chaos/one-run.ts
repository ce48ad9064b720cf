/** One run of the battery: its own stage, load under faults, healing, and the observations. */
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import { connect, type Database } from '../../models/db/database.js';
import { verifyAndGrant } from '../support/rows/verify-and-grant.js';
import { openHistory, type HistoryWriter } from './history.js';
import type { PhaseRecord } from './records.js';
import { ApiClient } from './load/api-client.js';
import { runLoad } from './load/clients.js';
import { type LoadPlan, minutesOf, planLoad } from './load/plan.js';
import { openWorkspace } from './load/workspace.js';
import { nemesesOf, type NemesisName } from './nemeses/all.js';
import { planNemeses, runTimetable, type TimetableRun } from './nemeses/timetable.js';
import { randomOf } from './random.js';
import { type Moving, untilSettled } from './settle.js';
import type { Programs } from './stage/servers.js';
import { openStage, type Stage } from './stage/stage.js';

export interface RunPlan {
  seed: number;
  /** New and empty. */
  folder: string;
  programs: Programs;
  loadMs: number;
  /** Per second. */
  bursts: number;
  nemeses?: readonly NemesisName[];
  /** Written to the first line of the history: commit, and the command that repeats the run. */
  about: Record<string, string | number>;
  say(line: string): void;
  /** Ends the stage if the command is interrupted. */
  cleanup: Cleanup;
  /** Reads the database when all work is settled. */
  look(db: Database): Promise<void>;
}

export interface Seen {
  historyPath: string;
  nemeses: TimetableRun & { impossible: NemesisName[] };
  /** The work that did not settle. */
  moving: Moving;
  seconds: Record<'start' | 'load' | 'settle', number>;
}

/** Clients that repeat their calls give up this long after the load. All faults have ended by then, so the service is at fault. */
const patienceMs = 90_000;
/** Thousandths of a credit of each workspace. The first one wants to send more than they pay. */
const creditsPerMinute = 100_000;
/** Time for parts to reconnect after they or their peers were down. */
const calmMs = 2_000;

/**
 * Executes the run. When it resolves or rejects, everything that it started has ended. The observations are in the history. `look` gets the
 * database while the service still runs.
 */
export async function runOne(plan: RunPlan): Promise<Seen> {
  const random = randomOf(plan.seed);
  const historyPath = join(plan.folder, 'history.jsonl');
  const history = openHistory(historyPath);
  history.append(phase('run', { seed: plan.seed, ...plan.about }));
  const load = planLoad(plan, random.fork('load'));
  const started = performance.now();
  const stage = await openStage({ ...plan, random: random.fork('stage'), history, hooks: load.workspaces });
  plan.cleanup.add(() => stage.close());
  try {
    await stage.start();
    const loadFrom = performance.now();
    const nemeses = await underFaults(plan, load, stage, history);
    const settleFrom = performance.now();
    const moving = await heal(plan, stage, history);
    const seconds = { start: loadFrom - started, load: settleFrom - loadFrom, settle: performance.now() - settleFrom };
    return { historyPath, nemeses, moving, seconds: roundAll(seconds) };
  } finally {
    await stage.close();
    await history.close();
  }
}

const phase = (name: PhaseRecord['phase'], detail?: PhaseRecord['detail']): PhaseRecord => ({
  type: 'phase',
  phase: name,
  ...(detail === undefined ? {} : { detail }),
});

/** Runs load and faults at the same time. Resolves when every client has its answer and every fault has ended. */
async function underFaults(plan: RunPlan, load: LoadPlan, stage: Stage, history: HistoryWriter): Promise<Seen['nemeses']> {
  const random = randomOf(plan.seed);
  const client = new ApiClient(stage.apiAddresses, history, random.fork('clients'));
  const timetable = planNemeses(plan.nemeses ?? nemesesOf(plan.seed), stage, plan.loadMs, random.fork('nemeses'));
  for (const { name, atMs, episode } of timetable.entries) {
    plan.say(`  ${(atMs / 1000).toFixed(0).padStart(3)} s  ${name}: ${episode.detail}, ${(episode.lastsMs / 1000).toFixed(1)} s`);
  }
  const workspaces = await Promise.all(stage.hooks.map((hooks) => openWorkspace(client, hooks)));
  const db = connect(stage.servers.databaseUrl, 1);
  for (const { id } of workspaces) await verifyAndGrant(db, id, Math.round(creditsPerMinute * plan.bursts * minutesOf(plan.loadMs)));
  await db.close();
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // every waiting part listens to it
  history.append(phase('load-began'));
  const faulty = runTimetable(timetable, plan.loadMs, history).finally(() => {
    setTimeout(() => closing.abort(), patienceMs).unref();
  });
  const [run] = await Promise.all([faulty, runLoad(load, { client, workspaces, publicUrl: stage.publicUrl, closing: closing.signal })]);
  client.close();
  history.append(phase('load-ended'));
  return { ...run, impossible: timetable.impossible };
}

/** Ends all disturbances. Resolves when all work is settled, or the wait for that is over, and the database was read. */
async function heal(plan: RunPlan, stage: Stage, history: HistoryWriter): Promise<Moving> {
  stage.links.heal();
  await Promise.all(stage.actors.map((actor) => actor.start()));
  await sleep(calmMs);
  stage.reporter.release();
  history.append(phase('healed'));
  const db = connect(stage.servers.databaseUrl, 2);
  try {
    const moving = await untilSettled(db, stage.reporter);
    history.append(phase('settled'));
    await plan.look(db);
    return moving;
  } finally {
    await db.close();
  }
}

const roundAll = <Key extends string>(values: Record<Key, number>): Record<Key, number> =>
  Object.fromEntries(Object.entries<number>(values).map(([key, ms]) => [key, Math.round(ms / 100) / 10])) as Record<Key, number>;
