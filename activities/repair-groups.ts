/** The repair of groups of messages: what each needs is decided from the database, and Temporal is asked only where a workflow has to run. */
import type { Channel, Config } from '../models/config.js';
import type { Database } from '../models/database.js';
import type { Logger } from '../models/logger.js';
import { closeDone, type DrivableGroup, fenceGroups, lookAgain, takeDueGroups } from '../models/operations/look-at-groups.js';
import { lookAt, type GroupState, type Verdict } from '../models/rules/group-look.js';
import { eachOf, inPages } from './repair-pages.js';
import type { WorkflowStarts } from './workflow-starts.js';

export interface RepairDeps {
  db: Database;
  config: Pick<Config, 'reportTimeoutSeconds'>;
  logger: Logger;
  starts: WorkflowStarts;
}

const pageOfGroups = 500;
/** What could not be started is tried again soon, behind the others. */
const failedMs = 15_000;

type Looked = DrivableGroup & GroupState & Verdict;

/** What a repair has done, as it is logged. */
interface Done {
  started: number;
  running: number;
  decided: number;
  closed: number;
  fenced: number;
}

/** Works through the groups that are due for a look, oldest first, as long as there are any and the slice lasts. */
export async function repairGroups(deps: RepairDeps, sliceMs: number): Promise<void> {
  const done: Done = { started: 0, running: 0, decided: 0, closed: 0, fenced: 0 };
  try {
    await inPages(sliceMs, pageOfGroups, () => repairPage(deps, done));
  } finally {
    const { running: _, ...repaired } = done;
    if (Object.values(repaired).some((count) => count > 0)) deps.logger.warn(done, 'repaired groups that were stuck');
  }
}

async function repairPage(deps: RepairDeps, done: Done): Promise<Looked[]> {
  const { db } = deps;
  const timeouts = millisecondsOf(deps.config.reportTimeoutSeconds);
  const taken = await takeDueGroups(db, pageOfGroups);
  const groups = taken.map((group): Looked => ({ ...group, ...lookAt(group, timeouts) }));
  const idsOf = (action: Verdict['action']) => groups.flatMap((group) => (group.action === action ? [group.groupId] : []));
  await closeDone(db, idsOf('close'));
  done.closed += idsOf('close').length;
  done.fenced += await fenceGroups(db, idsOf('fence'));
  const waiting = groups.filter(({ action }) => action === 'wait');
  await lookAgain(db, waiting);
  await lookAgain(db, await drive(deps, groups, done));
  return groups;
}

/** @returns when the driven ones are looked at again */
async function drive(
  { logger, starts }: RepairDeps,
  groups: readonly Looked[],
  done: Done,
): Promise<{ groupId: string; lookInMs: number }[]> {
  const driven = groups.filter(({ action }) => action === 'drive' || action === 'decide');
  const outcome = await eachOf(logger, 'groups', driven, (group) =>
    group.action === 'drive' ? starts.group(group) : starts.decide(group.groupId),
  );
  for (const { item, result } of outcome.done) {
    if (!result) done.running += 1;
    else if (item.action === 'drive') done.started += 1;
    else done.decided += 1;
  }
  return [...outcome.done.map(({ item }) => item), ...outcome.failed.map(({ groupId }) => ({ groupId, lookInMs: failedMs }))];
}

const millisecondsOf = (seconds: Readonly<Config['reportTimeoutSeconds']>) =>
  Object.fromEntries(Object.entries(seconds).map(([channel, count]) => [channel, count * 1000])) as Record<Channel, number>;
