/** What an answer guarantees from then on: a pause, a cancel, an inactive webhook; and how processes end. */
import { groupBy } from '../../../models/rules/values/group-by.js';
import { type Call, type Evidence, wordOf } from './evidence.js';
import { callMs, slackMs } from './handing-off.js';
import type { MessageFact } from './snapshot.js';
import { clockMs, type Found, found, type Rule } from './rule.js';

/** An interval in which nothing new may begin. */
export interface Rest {
  from: number;
  to: number;
}

const never = Number.POSITIVE_INFINITY;

/** From the answer to each stopping call until the beginning of the next call that permits work again, whatever its result. */
export function restsOf(calls: readonly Call[], stops: (call: Call) => boolean, goesOn: (call: Call) => boolean): Rest[] {
  return calls
    .filter((call) => stops(call) && call.answer !== null && call.answer.status < 300)
    .flatMap((call) => {
      const from = call.answer?.at ?? never;
      // A call in progress when the stop was answered may have been decided after it.
      const next = calls.filter((other) => goesOn(other) && (other.answer?.at ?? never) > call.at).map(({ at }) => at);
      const to = Math.min(never, ...next);
      return to > from ? [{ from, to }] : [];
    });
}

/** A claim that was committed before the pause may call the carrier for this long after it; see `attempt-before-call`. */
const claimedMs = callMs + slackMs;

/**
 * After the answer to a pause or a cancel of a batch, none of its messages is claimed. This is strict for attempts, by the database's
 * clock. Calls of earlier attempts may still be made. Source: docs/contract/batches.md; docs/decisions/0009-batches.md, "Pause, resume and
 * cancel are decided in the database under the lock that a hand-off takes".
 */
const pauseHolds: Rule = {
  name: 'pause-holds',
  promise:
    'After the response to a pause or a cancel of a batch, none of its messages is claimed, and calls begin only for messages claimed before.',
  check: (evidence) => {
    const rows = groupBy(evidence.snapshot.messages, ({ batch_id }) => batch_id ?? '');
    return evidence.snapshot.batches.flatMap(({ id }) => {
      const calls = evidence.callsOn.get(id) ?? [];
      const stops = ({ operation }: Call) => operation === 'pause' || operation === 'cancel-batch';
      const rests = restsOf(calls, stops, ({ operation }) => operation === 'resume');
      return rests.length === 0 ? [] : (rows.get(id) ?? []).flatMap((row) => brokenRests(evidence, row, rests, 'its batch was at rest'));
    });
  },
};

/** Claims of a message while nothing may be claimed, and calls for claims that were made then. @param during for the text */
export function brokenRests({ attemptsOf, handoffsOf, faults }: Evidence, row: MessageFact, rests: Rest[], during: string): Found[] {
  const isIn = (at: number, graceMs: number) => rests.find(({ from, to }) => at > from + graceMs && at < to - clockMs);
  const attempts = attemptsOf.get(row.id) ?? [];
  // A query about an earlier call is still permitted, because the message was claimed before.
  const clearedUpFrom = Math.min(
    never,
    ...attempts.filter(({ outcome }) => outcome === null || outcome === 'unknown').map(({ number }) => number),
  );
  const attempt = attempts.find(({ started_at, number }) => number <= clearedUpFrom && isIn(started_at, clockMs) !== undefined);
  if (attempt !== undefined) return [found(`A message was claimed while ${during}`, row.batch_id, row.id, row.token)];
  const call = (handoffsOf.get(wordOf(row)) ?? []).find(({ asked, receivedAt }) => {
    const rest = asked || clearedUpFrom !== never ? undefined : isIn(receivedAt, claimedMs);
    return (
      rest !== undefined &&
      !faults.hit(['worker'], rest.from, receivedAt, ['stop']) &&
      !faults.hit(['worker', 'carrier'], rest.from, receivedAt)
    );
  });
  return call === undefined ? [] : [found(`A carrier was called while ${during}`, row.batch_id, row.id, row.token)];
}

/**
 * A cancelled message had no claim and gets none: no carrier takes it, and none is called after the answer. Source:
 * docs/contract/messages.md, Statuses.
 */
const cancelHolds: Rule = {
  name: 'cancel-holds',
  promise: 'No carrier accepts a message that was cancelled, and none is called for it after the response to the cancel.',
  check: (evidence) =>
    evidence.snapshot.messages
      .filter(({ error_code }) => error_code === 'cancelled')
      .flatMap((row) => {
        const calls = (evidence.handoffsOf.get(wordOf(row)) ?? []).filter(({ asked }) => !asked);
        const own = evidence.callsOn.get(row.id) ?? [];
        const answers = own.filter(({ operation, answer }) => operation === 'cancel' && answer?.status === 200);
        const from = Math.min(never, ...answers.map(({ answer }) => answer?.at ?? never));
        const broken = calls.find(({ tookAt, receivedAt }) => tookAt !== null || receivedAt > from);
        return broken === undefined ? [] : [found('A carrier was called for a cancelled message', row.id, row.token, broken.handoff)];
      }),
};

/** The duration of a POST that was in progress when the webhook became inactive: the receiver has ten seconds. */
const postMs = 10_500;

/** Nothing is sent to an inactive webhook. Source: docs/contract/webhooks.md, Delivery. */
const inactiveIsSilent: Rule = {
  name: 'inactive-is-silent',
  promise: 'Nothing is sent to an inactive webhook.',
  check: (evidence) => {
    const arrivals = groupBy(evidence.arrivals, ({ webhook }) => webhook);
    return evidence.snapshot.webhooks.flatMap(({ id }) => {
      const changes = (evidence.callsOn.get(id) ?? []).filter(({ operation }) => operation === 'update-webhook');
      const rests = restsOf(
        changes,
        ({ change }) => change?.is_active === false,
        ({ change }) => change?.is_active === true,
      );
      const late = rests.flatMap(({ from, to }) => arrivals.get(id)?.find(({ at }) => at > from + postMs && at < to) ?? []);
      return late
        .filter(
          ({ at }) => !evidence.faults.hit(['receiver'], at - postMs, at) && !evidence.faults.hit(['worker'], at - postMs, at, ['stop']),
        )
        .map((arrival) => found('An inactive webhook was sent an event', id, arrival.id));
    });
  },
};

/** A replay delivers what was held or had failed when it was requested. Source: docs/contract/webhooks.md, Delivery. */
const replayBrings: Rule = {
  name: 'replay-brings',
  promise: 'A replay delivers every event of its period that was held or had failed.',
  check: (evidence) => {
    const events = new Map(evidence.snapshot.events.map((event) => [event.id, event]));
    const replays = evidence.calls.filter(({ operation, answer }) => operation === 'replay' && answer !== null && answer.status < 300);
    return replays.flatMap((replay): Found[] => {
      const { target = '', change, at } = replay;
      const wasSwitchedOff = evidence.callsOn
        .get(target)
        ?.some((call) => call.change?.is_active === false && (call.answer?.at ?? never) > at);
      if (wasSwitchedOff === true) return [];
      return evidence.snapshot.deliveries
        .filter(({ webhook_id, status }) => webhook_id === target && (status === 'held' || status === 'failed'))
        .filter(({ event_id }) => events.get(event_id)?.body !== null) // not erased
        .filter(({ event_id }) => isBetween(events.get(event_id)?.created_at ?? never, change?.since ?? 0, at - transactionMs))
        .map(({ event_id }) => found('A replay left an event behind', target, event_id, replay.call));
    });
  },
};

/** An event that was being written when the replay was requested is not part of it. */
const transactionMs = 35_000;

const isBetween = (at: number, from: number, to: number) => at >= from && at <= to;

/**
 * After SIGTERM, a process drains and exits with 0. Otherwise, processes end only by a kill of the stage. Source: docs/contract/limits.md,
 * How the service starts; deploy/README.md.
 */
const exitsAreClean: Rule = {
  name: 'exits-are-clean',
  promise: 'A process that gets SIGTERM ends with code 0, and no process ends without being told to.',
  check: ({ exits }) =>
    exits
      .filter(({ asked, code }) => (asked === 'SIGTERM' && code !== 0) || asked === null)
      .map(({ process, pid, asked, code, signal }) =>
        found(`The ${process} ended with ${code ?? signal} ${asked === null ? 'unasked' : `after ${asked}`}`, pid),
      ),
};

export const promiseRules = [pauseHolds, cancelHolds, inactiveIsSilent, replayBrings, exitsAreClean];
