/** The repairs of the watcher in a database of their own for each test, with workflows that are only written down. */
import { pino } from 'pino';
import { repairActivities } from '../../../activities/watch/repair.js';
import type { WorkflowStarts } from '../../../activities/support/workflow-starts.js';
import { testConfig } from '../../support/config.js';
import type { TestDatabase } from '../../support/database.js';
import { useDatabase } from '../../support/for-each.js';
import { buildWorkspace } from '../../support/rows/factories.js';

/** In the past, as SQL. */
export const longAgo = `now() - interval '1 hour'`;

/** Filled before each test. */
interface Repairs extends TestDatabase {
  workspaceId: string;
  /** What the last run did with workflows. */
  calls: string[];
  /** What was logged. */
  lines: { level: number; msg: string; what?: string }[];
  /** Workflows that run: they cannot be started. */
  running: Set<string>;
  /** Calls that fail. */
  broken: (call: string) => boolean;
}

/** Writes down each call; one of a running workflow starts nothing. */
function writtenDown(repairs: Repairs): WorkflowStarts {
  const called = async (call: string, id: string): Promise<boolean> => {
    if (repairs.broken(call)) throw new Error(`${call} fails`);
    repairs.calls.push(call);
    return !repairs.running.has(id);
  };
  return {
    isRunning: async (workflowId) => !(await called(`ask ${workflowId}`, workflowId)),
    startGroup: ({ workflowId }) => called(`start ${workflowId}`, workflowId),
    notifyCancelled: async (workflowId) => void (await called(`cancelled ${workflowId}`, workflowId)),
    notifyPage: async (workflowId) => void (await called(`changed ${workflowId}`, workflowId)),
    giveUpOnReports: (groupId) => called(`give up ${groupId}`, groupId),
    wakeGroup: async ({ workflowId, late }) => void (await called(`wake ${late ? 'late' : workflowId}`, workflowId)),
    startNextStep: ({ groupId }) => called(`next ${groupId}`, groupId),
    wakeRetrier: async (webhookId) => void (await called(`retrier ${webhookId}`, webhookId)),
    startMail: (mailId) => called(`mail ${mailId}`, mailId),
    startReplay: ({ replayId }) => called(`replay ${replayId}`, replayId),
  };
}

/** Call it in a `describe`: it registers the hooks. */
export function useRepairs() {
  const repairs = useDatabase({ forEachTest: true, checksBooks: true }) as Repairs;
  beforeEach(async () => {
    Object.assign(repairs, { calls: [], lines: [], running: new Set(), broken: () => false });
    repairs.workspaceId = (await buildWorkspace(repairs.db)).id;
  });
  const activities = (env: NodeJS.ProcessEnv = {}) => {
    const logger = pino({ level: 'debug' }, { write: (line: string) => void repairs.lines.push(JSON.parse(line)) });
    return repairActivities({
      db: repairs.db,
      config: testConfig({ ACCEPT_GROUP_MAX: '1', ...env }),
      logger,
      starts: writtenDown(repairs),
    });
  };
  /** All repairs, one after the other. @returns what they did with workflows */
  const run = async (env: NodeJS.ProcessEnv = {}): Promise<string[]> => {
    repairs.calls = [];
    for (const repair of Object.values(activities(env))) await repair();
    return repairs.calls;
  };
  return Object.assign(repairs, { activities, run });
}
