/** The verdict on a run: by the oracle, and by what the battery itself saw fail. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../models/db/database.js';
import { readHistory } from './history.js';
import type { Seen } from './one-run.js';
import type { Limits } from './oracle/evidence.js';
import { type Judgement, judge } from './oracle/judge.js';
import type { Violation } from './oracle/rule.js';
import { readSnapshot, type Snapshot } from './oracle/snapshot.js';
import { waits, webhookAttempts } from './stage/service-settings.js';

const limits: Limits = {
  unknownHandoffMs: Number(waits.UNKNOWN_HANDOFF_TIMEOUT) * 1000,
  handoffMs: Number(waits.HANDOFF_TIMEOUT) * 1000,
  webhookAttempts,
};

/** Reads the books of a run and writes them beside its history. */
export async function keepSnapshot(db: Database, folder: string): Promise<Snapshot> {
  const snapshot = await readSnapshot(db);
  writeFileSync(join(folder, 'snapshot.json'), JSON.stringify(snapshot));
  return snapshot;
}

export interface Verdict {
  /** The broken promises; empty if there are none. */
  violations: Violation[];
  figures: Judgement['figures'];
}

/** Judges a run. */
export function judgeRun({ historyPath, moving, nemeses }: Seen, snapshot: Snapshot): Verdict {
  const { violations, figures } = judge(readHistory(historyPath), snapshot, limits);
  const restless = Object.entries(moving).map(([what, count]) => ({
    rule: 'settles',
    says: `${count} ${what} after the longest wait`,
    ids: [],
  }));
  const failedFaults = nemeses.faults.map((says) => ({ rule: 'battery', says, ids: [] }));
  return { violations: [...violations, ...restless, ...failedFaults], figures };
}
