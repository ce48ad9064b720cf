/**
 * For operators: repairs the state after PostgreSQL was restored to an earlier time, so that it matches Temporal and the providers; see
 * docs/recovery.md. Entry point:
 * `node dist/api/recover.js --as-of <time> [--stopped-at <time>] [--wait <seconds>] [--dry-run] [--json] [--force]`, or `--status`.
 */
import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from '../models/settings/config.js';
import { commandEnvironment } from '../models/settings/environment.js';
import { connect } from '../models/db/database.js';
import { findRecovery } from '../models/operations/recovery/begin-recovery.js';
import { recoveryOutcomes } from '../models/operations/recovery/recovery-outcomes.js';
import { readTimestamp } from '../models/rules/values/timestamp.js';
import { fatesOf, jsonOf, statusJsonOf, statusTableOf, tableOf } from './recovery/present-recovery.js';
import { type RecoveryRequest, runRecovery } from './recovery/run-recovery.js';

const options = {
  'as-of': { type: 'string' },
  'stopped-at': { type: 'string' },
  wait: { type: 'string', default: '900' },
  'dry-run': { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  status: { type: 'boolean', default: false },
} as const;

interface RecoverArguments extends Omit<RecoveryRequest, 'asOf'> {
  asOf: Date | null;
  json: boolean;
  status: boolean;
}

/** @throws Error with what is wrong with the arguments */
function read(args: string[]): RecoverArguments {
  const { 'as-of': asOf, 'stopped-at': stoppedAt, wait, 'dry-run': dryRun, force, json, status } = parseArgs({ args, options }).values;
  const moment = (name: string, text: string | undefined): Date | null => {
    if (text === undefined) return null;
    const stamp = readTimestamp(text);
    if (stamp === null || stamp.isDay || !stamp.hasZone) throw new Error(`--${name} must be a time such as 2026-11-20T08:00:00Z`);
    if (stamp.at.getTime() > Date.now()) throw new Error(`--${name} is in the future`);
    return stamp.at;
  };
  if (!/^\d{1,6}$/.test(wait)) throw new Error('--wait must be a number of seconds');
  const parsed = {
    asOf: moment('as-of', asOf),
    stoppedAt: moment('stopped-at', stoppedAt),
    waitSeconds: Number(wait),
    dryRun,
    force,
    json,
    status,
  };
  if (parsed.asOf === null && !status) throw new Error('--as-of is required: the time to which the database was restored');
  if (parsed.asOf !== null && parsed.stoppedAt !== null && parsed.stoppedAt < parsed.asOf)
    throw new Error('--stopped-at is before --as-of');
  return parsed;
}

/** @throws Error when there is no recovery */
async function showStatus({ asOf, json }: RecoverArguments): Promise<string> {
  const db = connect(loadConfig(commandEnvironment(), ['DATABASE_URL']).databaseUrl, 2);
  try {
    const recovery = await findRecovery(db, asOf);
    if (recovery === undefined) throw new Error('there is no such recovery');
    const fates = await fatesOf(recoveryOutcomes(db, recovery.id));
    return (json ? statusJsonOf : statusTableOf)(recovery, fates);
  } finally {
    await db.close();
  }
}

async function recover({ asOf, json, ...request }: RecoverArguments): Promise<string> {
  const config = loadConfig(commandEnvironment(), ['DATABASE_URL', 'TEMPORAL_ADDRESS']);
  const recovered = await runRecovery(config, { ...request, asOf: asOf as Date });
  return (json ? jsonOf : tableOf)(recovered, request.dryRun);
}

try {
  const given = read(process.argv.slice(2));
  process.stdout.write(await (given.status ? showStatus : recover)(given));
} catch (error) {
  process.stderr.write(error instanceof ConfigError ? `${error.message}\n` : `Not recovered: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
