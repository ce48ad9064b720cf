/** When faults begin and end: several at the same time, but never two on the same target. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryWriter } from '../history.js';
import type { Random } from '../random.js';
import type { Stage } from '../stage/stage.js';
import { nemeses, type NemesisName } from './all.js';
import type { Episode } from './nemesis.js';

interface Entry {
  name: NemesisName;
  atMs: number;
  episode: Episode;
}

export interface Timetable {
  /** In the order of their times. */
  entries: readonly Entry[];
  /** Nemeses that this machine cannot execute. */
  impossible: NemesisName[];
}

/** How many episodes of each nemesis there are per minute. The severe ones have one, so that there is time to work in between. */
const episodes = { min: 1, max: 3 };
const isHard = (name: NemesisName) => name.startsWith('stop-') || name === 'disk-full';
/** No fault begins before the load. */
const firstMs = 2_000;

/** Plans the episodes of a run. Depends on the seed only. */
export function planNemeses(names: readonly NemesisName[], stage: Stage, loadMs: number, random: Random): Timetable {
  const entries: Entry[] = [];
  const impossible: NemesisName[] = [];
  const minutes = Math.max(1, Math.round(loadMs / 60_000));
  for (const name of names) {
    const own = random.fork(name);
    const perMinute = isHard(name) ? 1 : own.int(episodes.min, episodes.max);
    for (let count = perMinute * minutes; count > 0; count -= 1) {
      const atMs = own.between(firstMs, Math.max(firstMs, loadMs - 3_000));
      const episode = nemeses[name](stage, own);
      if (episode !== undefined) entries.push({ name, atMs, episode });
      else if (!impossible.includes(name)) impossible.push(name);
    }
  }
  return { entries: entries.toSorted((one, other) => one.atMs - other.atMs), impossible };
}

export interface TimetableRun {
  /** How often each nemesis began. */
  counts: Partial<Record<NemesisName, number>>;
  /** Nemeses that failed. */
  faults: string[];
}

/**
 * Executes the timetable. An episode whose target is in use until the end of the load is left out. Resolves when every episode that began
 * has ended.
 */
export async function runTimetable({ entries }: Timetable, loadMs: number, history: HistoryWriter): Promise<TimetableRun> {
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const held = new Set<string>();
  const run: TimetableRun = { counts: {}, faults: [] };
  const perform = async ({ name, atMs, episode }: Entry, number: number) => {
    await sleep(Math.max(0, atMs - elapsedMs()));
    while (episode.locks.some((lock) => held.has(lock))) {
      if (elapsedMs() > loadMs) return;
      await sleep(200);
    }
    for (const lock of episode.locks) held.add(lock);
    run.counts[name] = (run.counts[name] ?? 0) + 1;
    await haveEpisode(episode, number, history).catch((error: unknown) => run.faults.push(`${name}: ${String(error)}`));
    for (const lock of episode.locks) held.delete(lock);
  };
  await Promise.all(entries.map((entry, index) => perform(entry, index + 1)));
  return run;
}

async function haveEpisode(episode: Episode, nemesis: number, history: HistoryWriter): Promise<void> {
  const { name, targets, detail } = episode;
  const note = (did: 'began' | 'ended') => history.append({ type: 'nemesis', nemesis, did, name, targets, detail });
  note('began');
  try {
    await episode.begin();
    await sleep(episode.lastsMs);
  } finally {
    await episode.end();
    note('ended');
  }
}
