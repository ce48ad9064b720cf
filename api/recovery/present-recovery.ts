/** The output of a recovery, as text and as data. */
import type { Recovery } from '../../models/operations/recovery/begin-recovery.js';
import type { RecoveryOutcome, RecoveryState } from '../../models/operations/recovery/recovery-outcomes.js';
import type { Recovered } from './run-recovery.js';

const line = (count: number, what: string, then: string) => `${String(count).padStart(10)}  ${what.padEnd(44)}  ${then}`;

const headOf = ({ as_of, stopped_at }: Recovery) =>
  `Database restored to ${as_of.toISOString()}; all processes had stopped by ${stopped_at.toISOString()}`;

/** A table of the findings and their consequences. @param dryRun nothing was changed */
export function tableOf({ recovery, doubts, workflows, found }: Recovered, dryRun: boolean): string {
  const { undecided_messages, undecided_batches, uncertain, uncertain_paused, scheduled, cancelled, awaiting_report, fallbacks } = found;
  const lines = [
    ...doubts.map((doubt) => `Warning: ${doubt}`),
    `${headOf(recovery)}.${dryRun ? ' Dry run: nothing was changed.' : ''}`,
    line(workflows, 'open workflows', 'terminated; the watcher starts new ones as needed'),
    line(uncertain.length, 'messages possibly handed off', 'resolved by a query, by their report, or refunded'),
    line(uncertain_paused.length, 'of them in paused batches', 'resolved when the owner resumes or cancels the batch'),
    line(awaiting_report.length, 'messages that wait for a report', 'their carriers are queried when the workers run'),
    line(scheduled.length, 'messages scheduled for later', 'sent as scheduled, including those cancelled in the lost time'),
    line(cancelled.length, 'messages of cancelled batches', 'cancelled and refunded'),
    line(undecided_messages.length, 'messages not accepted yet', 'deleted; they were not charged'),
    line(undecided_batches.length, 'batches not accepted yet', 'deleted; they were not charged'),
    line(fallbacks, 'fallback chains', 'ended: the next step was possibly sent'),
  ];
  return lines.join('\n');
}

/** The findings with all ids. */
export const dataOf = ({ recovery, doubts, workflows, found }: Recovered, dryRun: boolean): object => ({
  dry_run: dryRun,
  recovery,
  doubts,
  workflows,
  ...found,
});

const kindTexts: Readonly<Record<RecoveryOutcome['kind'], string>> = {
  uncertain: 'possibly handed off',
  awaiting_report: 'report possibly lost',
  fallback: 'fallback chain',
};

const stateTexts: Readonly<Record<RecoveryState, string>> = {
  waiting: 'not resolved yet',
  reconciled: 'resolved by a query to the carrier',
  reported: 'resolved by a delivery report',
  refunded: 'failed and refunded',
  unreported: 'no report arrived in time',
  closed: 'ended',
  gone: 'deleted',
};

/** Message ids by kind and current state. */
export type RecoveryStates = Map<RecoveryOutcome['kind'], Map<RecoveryState, string[]>>;

export async function statesOf(outcomes: AsyncIterable<RecoveryOutcome>): Promise<RecoveryStates> {
  const states: RecoveryStates = new Map();
  for await (const { kind, message_id, state } of outcomes) {
    const ofKind = states.get(kind) ?? new Map<RecoveryState, string[]>();
    states.set(kind, ofKind);
    const ids = ofKind.get(state) ?? [];
    ofKind.set(state, ids);
    ids.push(message_id);
  }
  return states;
}

/** A table of the current state of the affected messages. */
export function statusTableOf(recovery: Recovery, states: RecoveryStates): string {
  const rows = [...states].flatMap(([kind, ofKind]) =>
    [...ofKind].map(([state, ids]) => line(ids.length, kindTexts[kind], stateTexts[state])),
  );
  const interrupted = recovery.marked_at === null ? ['The recovery was interrupted. Run it again.'] : [];
  return [`${headOf(recovery)}.`, ...interrupted, ...rows].join('\n');
}

/** The same with all ids. */
export const statusDataOf = (recovery: Recovery, states: RecoveryStates): object => ({
  recovery,
  ...Object.fromEntries([...states].map(([kind, ofKind]) => [kind, Object.fromEntries(ofKind)])),
});
