/** Repairs groups of messages. The database decides the action for each group. Temporal is called only for groups that need a workflow. */
import type { Channel } from '../../models/channels.js';
import type { Config } from '../../models/settings/config.js';
import type { Database } from '../../models/db/database.js';
import { workMetrics } from '../../models/metrics/catalogue.js';
import type { Logger } from '../../models/process/logger.js';
import { gatherMessages } from '../../models/operations/messages/gather-messages.js';
import { closeDoneGroups, type DueGroup, fenceGroups, scheduleChecks, takeDueGroups } from '../../models/operations/watch/due-groups.js';
import { groupBy } from '../../models/rules/values/group-by.js';
import { type CheckDecision, decideCheck } from '../../models/rules/messages/group-check.js';
import { workflowIds } from '../../workflows/contract.js';
import { eachOf, workInPages, type RepairOutcome, repairFailure } from './repair-pages.js';
import type { WorkflowStarts } from '../support/workflow-starts.js';

export interface RepairDeps {
  db: Database;
  config: Pick<Config, 'reportTimeoutSeconds' | 'acceptGroupMax'>;
  logger: Logger;
  starts: WorkflowStarts;
}

const pageOfGroups = 500;
/** A group whose workflow could not be started is checked again after this time. */
const failedMs = 15_000;

type CheckedGroup = DueGroup & CheckDecision;
type NextCheck = { groupId: string; checkInMs: number };
/** The groups whose workflows were started, or run already, and those whose could not be. */
type Started = RepairOutcome<CheckedGroup, boolean>;

/** Counts of groups by result, as logged. */
type Done = Record<'started' | 'gathered' | 'running' | 'gave_up' | 'closed' | 'fenced', number>;

/** Repairs the groups that are due for a check, oldest first, until none is left or the time is over. */
export async function repairGroups(deps: RepairDeps, until: number): Promise<void> {
  const done: Done = { started: 0, gathered: 0, running: 0, gave_up: 0, closed: 0, fenced: 0 };
  try {
    await workInPages(until, pageOfGroups, () => repairPage(deps, done));
  } finally {
    const { running: _, gave_up, ...repaired } = done;
    for (const [result, count] of Object.entries({ ...repaired, gave_up })) workMetrics.repairs.inc({ what: `groups ${result}` }, count);
    if (Object.values(repaired).some((count) => count > 0)) deps.logger.warn(done, 'repaired groups that no workflow drove');
    else if (gave_up > 0) deps.logger.info({ groups: gave_up }, 'gave up on missing reports');
  }
}

async function repairPage(deps: RepairDeps, done: Done): Promise<CheckedGroup[]> {
  const { db, config } = deps;
  const timeouts = millisecondsOf(config.reportTimeoutSeconds);
  const groups = (await takeDueGroups(db, pageOfGroups)).map((group): CheckedGroup => ({ ...group, ...decideCheck(group, timeouts) }));
  const of = (action: CheckDecision['action']) => groups.filter((group) => group.action === action);
  const idsOf = (action: CheckDecision['action']) => of(action).map(({ groupId }) => groupId);
  await closeDoneGroups(db, idsOf('close'));
  done.closed += idsOf('close').length;
  done.fenced += await fenceGroups(db, idsOf('fence'));
  await scheduleChecks(db, of('wait'));
  const gatherable = config.acceptGroupMax > 1 ? of('drive').filter(({ isGatherable }) => isGatherable) : [];
  const others = of('drive').filter((group) => !gatherable.includes(group));
  await scheduleChecks(db, nextChecksOf(await startEach(deps, others, 'started', done)));
  await scheduleChecks(db, await gather(deps, gatherable, done));
  const overdue = groups.filter(({ givesUp }) => givesUp);
  const { failed } = await startEach(deps, overdue, 'gave_up', done);
  await scheduleChecks(db, failed.map(soon)); // the time of the next look of the others is set above
  return groups;
}

/** Starts a workflow for each group. */
async function startEach({ logger, starts }: RepairDeps, groups: CheckedGroup[], as: 'started' | 'gave_up', done: Done): Promise<Started> {
  const work = (group: CheckedGroup) => (as === 'started' ? starts.startGroup(group) : starts.giveUpOnReports(group.groupId));
  const outcome = await eachOf(logger, repairFailure('groups'), groups, work);
  for (const { result } of outcome.done) done[result ? as : 'running'] += 1;
  return outcome;
}

const nextChecksOf = ({ done, failed }: Started): NextCheck[] => [...done.map(({ item }) => item), ...failed.map(soon)];

/**
 * Moves single messages into shared groups, as large as the accept gate would make them, and starts a workflow for each group. Skips
 * messages whose workflow runs.
 * @returns when the messages that stay in their own group are checked again
 */
async function gather(deps: RepairDeps, groups: CheckedGroup[], done: Done): Promise<NextCheck[]> {
  const { config, logger, starts } = deps;
  const checked = await eachOf(logger, repairFailure('groups'), groups, ({ workflowId }) => starts.isRunning(workflowId));
  const running = checked.done.filter(({ result }) => result).map(({ item }) => item);
  done.running += running.length;
  const gone = checked.done.filter(({ result }) => !result).map(({ item }) => item);
  const checks: NextCheck[] = [...running, ...checked.failed.map(soon)];
  for (const [, all] of groupBy(gone, ({ channel }) => channel)) {
    for (let from = 0; from < all.length; from += config.acceptGroupMax) {
      const bundle = all.slice(from, from + config.acceptGroupMax);
      if (bundle.length === 1) checks.push(...nextChecksOf(await startEach(deps, bundle, 'started', done)));
      else done.gathered += await driveTogether(deps, bundle);
    }
  }
  return checks;
}

/** Starts one workflow for these messages. If the start fails, a later run finds the new group. @returns how many messages it has */
async function driveTogether({ db, starts }: RepairDeps, bundle: readonly CheckedGroup[]): Promise<number> {
  const [{ channel }] = bundle as [CheckedGroup];
  const gathered = await gatherMessages(
    db,
    bundle.map(({ groupId }) => groupId),
    workflowIds.shared,
  );
  if (gathered === undefined) return 0;
  const { groupId, ids } = gathered;
  const workspaceIds = new Set(bundle.map(({ workspaceId }) => workspaceId));
  await starts.startGroup({
    groupId,
    workflowId: workflowIds.shared(groupId),
    batchId: null,
    channel,
    workspaceId: workspaceIds.size === 1 ? ([...workspaceIds][0] ?? null) : null,
    messageIds: ids,
    fallbackAfterMs: null,
  });
  return ids.length;
}

const soon = ({ groupId }: CheckedGroup): NextCheck => ({ groupId, checkInMs: failedMs });

const millisecondsOf = (seconds: Readonly<Config['reportTimeoutSeconds']>) =>
  Object.fromEntries(Object.entries(seconds).map(([channel, count]) => [channel, count * 1000])) as Record<Channel, number>;
