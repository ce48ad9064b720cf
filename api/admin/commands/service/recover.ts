import type { Config } from '../../../../models/settings/config.js';
import { findRecovery } from '../../../../models/operations/recovery/begin-recovery.js';
import { recoveryOutcomes } from '../../../../models/operations/recovery/recovery-outcomes.js';
import { dataOf, statesOf, statusDataOf, statusTableOf, tableOf } from '../../../recovery/present-recovery.js';
import { type Command, type ParsedArguments, type CommandOutcome, type CommandContext, UsageError } from '../../command.js';
import { momentIn, numberIn } from '../../read-options.js';

const waitSeconds = { default: 900, max: 999_999 };

/** Repairs the state after PostgreSQL was restored to an earlier time, so that it matches Temporal and the carriers; see docs/recovery.md. */
export const recoverCommand: Command = {
  name: 'recover',
  takes: [],
  settings: ['DATABASE_URL'],
  options: {
    'as-of': { value: 'TIME', about: 'The moment to which the database was restored' },
    'stopped-at': { value: 'TIME', about: 'The moment at which the last worker had stopped (default now)' },
    wait: { value: 'SECONDS', about: `How long an uncertain message waits for its report (default ${waitSeconds.default})` },
    'dry-run': { about: 'Show what would be done, and change nothing' },
    force: { about: 'Continue even if processes run, or the database has later messages' },
    status: { about: 'Show the state of the messages of a recovery' },
  },
  summary: 'Repair the state after PostgreSQL was restored to an earlier time.',
  run: (given, context) => (given.values.status === true ? showStatus(given, context) : recover(given, context.config)),
};

const instant = (given: ParsedArguments, option: string): Date | null => {
  const at = momentIn(given, option, { isExact: true }) ?? null;
  if (at !== null && at.getTime() > Date.now()) throw new UsageError(`--${option} is in the future`);
  return at;
};

async function recover(given: ParsedArguments, config: Readonly<Config>): Promise<CommandOutcome> {
  const [asOf, stoppedAt] = [instant(given, 'as-of'), instant(given, 'stopped-at')];
  if (asOf === null) throw new UsageError('--as-of is required: the time to which the database was restored');
  if (stoppedAt !== null && stoppedAt < asOf) throw new UsageError('--stopped-at is before --as-of');
  const dryRun = given.values['dry-run'] === true;
  const request = { asOf, stoppedAt, dryRun, force: given.values.force === true, waitSeconds: numberIn(given, 'wait', waitSeconds) };
  const { runRecovery } = await import('../../../recovery/run-recovery.js'); // most commands need no Temporal
  const recovered = await runRecovery(config, request);
  return { ok: true, text: tableOf(recovered, dryRun), data: dataOf(recovered, dryRun) };
}

async function showStatus(given: ParsedArguments, { db }: CommandContext): Promise<CommandOutcome> {
  const recovery = await findRecovery(db, instant(given, 'as-of'));
  if (recovery === undefined) throw new Error('there is no such recovery');
  const states = await statesOf(recoveryOutcomes(db, recovery.id));
  return { ok: true, text: statusTableOf(recovery, states), data: statusDataOf(recovery, states) };
}
