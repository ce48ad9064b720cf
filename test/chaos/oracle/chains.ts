/**
 * Fallback chains: a step begins only after the message before it failed, or its time was over (docs/clients.md, Fallback;
 * docs/decisions/0008-fallback.md).
 */
import { groupBy } from '../../../models/rules/values/group-by.js';
import { type Evidence, wordOf } from './evidence.js';
import { found, type Rule } from './rule.js';
import type { MessageFact } from './snapshot.js';

/** Temporal's clock measures the time of a step, from when the message before it was queued. */
const timerMs = 1_500;

/** Never after a client's cancel or an expiry; before its time only if the message before it failed. Source: docs/decisions/0008-fallback.md. */
const stepHasCause: Rule = {
  name: 'step-has-cause',
  promise:
    'A step of a fallback chain begins only after the previous message failed or was not delivered in time, and never after a cancel.',
  check: (evidence) => {
    const events = groupBy(evidence.snapshot.fallbacks, ({ message_id }) => message_id);
    return [...events.values()].flat().flatMap(({ message_id, next_id }) => {
      const before = evidence.message.get(message_id);
      const next = evidence.message.get(next_id ?? '');
      if (before === undefined || next === undefined) return [];
      if (before.error_code === 'cancelled') return [found('A step was sent after a cancelled message', before.id, next.id)];
      return hasCause(evidence, before, next) ? [] : [found('A step was sent before its time', before.id, next.id, next.token)];
    });
  },
};

function hasCause(evidence: Evidence, before: MessageFact, next: MessageFact): boolean {
  const { requestOf, eventsOf } = evidence;
  // If a failed message was delivered after all, only its events show the failure.
  const hasFailed = before.status === 'failed' || eventsOf.get(before.id)?.some(({ type }) => type === 'message.failed') === true;
  const steps = requestOf.get(next.token ?? '')?.calls[0]?.fallback ?? [];
  const step = steps.find(({ channel, to }) => channel === next.channel && to === next.to);
  const dueAt = Math.max(Math.min(before.created_at, begunAt(evidence, before)), before.scheduled_at ?? 0) + (step?.after ?? 0) * 1000;
  return (hasFailed && before.error_code !== 'expired') || begunAt(evidence, next) >= dueAt - timerMs;
}

/** By the clocks of PostgreSQL and of the observer. The row has the time of a worker, whose clock may be wrong. */
function begunAt({ eventsOf, handoffsOf, snapshot }: Evidence, next: MessageFact): number {
  const debits = snapshot.entries.filter(({ kind, reference }) => kind === 'debit' && reference === next.id);
  const seen = [...debits.map(({ created_at }) => created_at), ...(eventsOf.get(next.id) ?? []).map(({ created_at }) => created_at)];
  return Math.min(...seen, handoffsOf.get(wordOf(next))?.[0]?.receivedAt ?? Number.POSITIVE_INFINITY);
}

export const chainRules = [stepHasCause];
