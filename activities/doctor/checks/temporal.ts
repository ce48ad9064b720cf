/** Temporal: the server, the namespace with its search attributes and schedule, the workers and the watcher. */
import { type Connection, isGrpcServiceError, ScheduleClient } from '@temporalio/client';
import { foreignNamespace, foreignNamespaceFix, installationOf, isForeign } from '../../../models/startup/installation.js';
import { lastWatcherRun, watcherAgeSecondsMax } from '../../../models/operations/watch/watcher-runs.js';
import { seenWorkers } from '../../../models/operations/watch/worker-heartbeats.js';
import { grpcStatus } from '../../../models/network/grpc-status.js';
import { countText } from '../../../models/rules/values/text.js';
import { searchAttributes, workflowIds } from '../../../workflows/contract.js';
import { type Check, failed, type Finding, ok, warning } from '../check.js';
import { connectToTemporal } from '../../support/connect-temporal.js';
import { indexedValueType } from '../../worker/prepare-temporal.js';

/** After a complaint, operators look at closed workflows. PostgreSQL has everything else (docs/scaling.md). */
const retentionHoursMin = 24;
/** Short enough that the reason is known before the time of the check is over. */
const patienceMs = 4_000;

export const temporalCheck: Check = {
  subject: 'Temporal',
  fix: 'Check TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and TEMPORAL_TLS_*, and that the server runs',
  async run({ config, db, signal }) {
    const { temporalServer, temporalNamespace: namespace } = config;
    const installation = await installationOf(db).catch(() => null); // another check says that PostgreSQL cannot be used
    const connection = await connectToTemporal(temporalServer, patienceMs);
    try {
      return await connection.withAbortSignal(signal, async () => {
        const { serverVersion } = await connection.workflowService.getSystemInfo({});
        const version = ok('Temporal', `version ${serverVersion ?? 'unknown'}`);
        const hours = await readRetention(connection, namespace);
        if (hours === null) return [version, missingNamespace(namespace)];
        return [
          version,
          retentionFinding(namespace, hours),
          await checkAttributes(connection, namespace),
          await scheduleFinding(new ScheduleClient({ connection, namespace }), namespace, installation),
        ];
      });
    } finally {
      await connection.close();
    }
  },
};

/** @returns hours; null if there is no such namespace */
async function readRetention(connection: Connection, namespace: string): Promise<number | null> {
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    return Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / 3600;
  } catch (error) {
    if (isGrpcServiceError(error) && (error.code as number) === grpcStatus.notFound) return null;
    throw error;
  }
}

/** Workers do not create the namespace (docs/watcher.md). */
const missingNamespace = (namespace: string) =>
  failed(
    'Temporal namespace',
    `${namespace} does not exist: messages cannot be accepted`,
    `Run: temporal operator namespace create --namespace ${namespace} --retention 72h (in containers: docker compose up --no-deps temporal-namespace)`,
  );

export function retentionFinding(namespace: string, hours: number): Finding {
  const subject = 'Temporal namespace';
  const detail = `${namespace} keeps closed workflows for ${countText(Math.round(hours), 'hour')}`;
  if (hours >= retentionHoursMin) return ok(subject, detail);
  return warning(
    subject,
    detail,
    `Run: temporal operator namespace update --retention 72h -n ${namespace} (in containers: set NAMESPACE_RETENTION)`,
  );
}

/** Managed clusters permit this call to their operators only. Everything else can be checked. */
async function checkAttributes(connection: Connection, namespace: string): Promise<Finding> {
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    return attributesFinding(customAttributes, namespace);
  } catch (error) {
    if (!isGrpcServiceError(error) || (error.code as number) !== grpcStatus.permissionDenied) throw error;
    const list = needed.map(({ name, type }) => `${name} (${typeName(type)})`).join(', ');
    return warning(
      'Temporal search attributes',
      'the cluster permits only its operators to list them',
      `Make sure that ${namespace} has ${list}: without them messages cannot be accepted or found`,
    );
  }
}

const needed = Object.values(searchAttributes);
/** The type as the program `temporal` calls it. */
const typeName = (type: (typeof needed)[number]['type']) => (type === 'KEYWORD' ? 'Keyword' : 'KeywordList');

/** @param found the type of each attribute of the namespace, as `indexedValueType` numbers it */
export function attributesFinding(found: Readonly<Record<string, number>>, namespace: string): Finding {
  const subject = 'Temporal search attributes';
  const wrong = needed.filter(({ name, type }) => found[name] !== indexedValueType[type]);
  if (wrong.length === 0) return ok(subject, needed.map(({ name }) => name).join(', '));
  const detail = wrong.map(({ name }) => `${name} ${found[name] === undefined ? 'missing' : 'of another type'}`).join(', ');
  const misfits = wrong.filter(({ name }) => found[name] !== undefined).map(({ name }) => `--name ${name}`);
  const created = wrong.map(({ name, type }) => `--name ${name} --type ${typeName(type)}`);
  const attributes = 'temporal operator search-attribute';
  const remove = misfits.length === 0 ? '' : `${attributes} remove ${misfits.join(' ')} --yes -n ${namespace} && `; // a type cannot be changed
  return failed(
    subject,
    `${detail}: messages cannot be accepted or found`,
    `Run: ${remove}${attributes} create ${created.join(' ')} -n ${namespace}`,
  );
}

async function scheduleFinding(schedules: ScheduleClient, namespace: string, installation: string | null): Promise<Finding> {
  const subject = 'Temporal schedule';
  try {
    const schedule = await schedules.getHandle(workflowIds.watcher).describe();
    if (isForeign(schedule.action.memo, installation)) return foreignFinding(subject, namespace);
    if (!schedule.state.paused) return ok(subject, 'the watcher runs every 30 s');
    return failed(
      subject,
      'the watcher is paused: lost work is not repaired',
      `Run: temporal schedule toggle --unpause -s ${workflowIds.watcher} -n ${namespace}`,
    );
  } catch (error) {
    if ((error as Error).name !== 'ScheduleNotFoundError') throw error;
    return failed(subject, 'there is no schedule of the watcher', 'Start a worker: it creates the schedule');
  }
}

/** Workers refuse to start in such a namespace; see `prepareTemporal`. */
const foreignFinding = (subject: string, namespace: string) =>
  failed(subject, `${foreignNamespace(namespace)}: workers do not start`, foreignNamespaceFix(namespace));

/** The heartbeats that workers and the watcher leave in PostgreSQL. */
export const workersCheck: Check = {
  subject: 'workers',
  fix: 'Check PostgreSQL first. If it answers, run: npm run migrate',
  async run({ db }) {
    const [{ alive, lost }, { age_seconds, failing }] = await Promise.all([seenWorkers(db), lastWatcherRun(db)]);
    return [workersFinding(alive, lost), watcherFinding(age_seconds, failing)];
  },
};

export function workersFinding(alive: number, lost: number): Finding {
  if (alive === 0) return failed('workers', 'none is alive: messages wait', 'Start a worker: node dist/activities/worker.js');
  if (lost > 0) return warning('workers', `${alive} alive, ${lost} died in the last ten minutes`, 'Read the log of the worker that died');
  return ok('workers', `${alive} alive`);
}

export function watcherFinding(ageSeconds: number | null, failing: readonly string[]): Finding {
  const fix = 'Look at the workflow of the watcher in the Temporal Web UI';
  if (ageSeconds === null || ageSeconds > watcherAgeSecondsMax)
    return failed('watcher', ageSeconds === null ? 'has never run' : `last ran ${ageSeconds} s ago`, fix);
  if (failing.length > 0) return warning('watcher', `these steps failed in its last run: ${failing.join(', ')}`, fix);
  return ok('watcher', `last ran ${ageSeconds} s ago`);
}
