/** How messages are handed off: once, after the attempt is written, at the right time (docs/architecture.md, The path of a message, step 4). */
import { type Evidence, wordOf } from './evidence.js';
import type { Handoff } from './handoffs.js';
import type { MessageFact } from './snapshot.js';
import { clockMs, type Found, found, type Rule } from './rule.js';

/**
 * A call is aborted this long after its message was claimed. Later, no carrier can have received its complete request. (A call starts
 * within five seconds, but mail is transferred in several steps, and a carrier records it as received when it is complete.)
 */
export const callMs = 10_000;
/** The delay between a decision and its observation on a loaded machine. */
export const slackMs = 1_500;

/** The calls that would send the message of a row, without queries. */
const callsFor = ({ handoffsOf }: Evidence, row: MessageFact): Handoff[] =>
  (handoffsOf.get(wordOf(row)) ?? []).filter(({ asked }) => !asked);

/** Faults that may delay a request on its way from a worker to a carrier. */
const mayBeLate = ({ faults }: Evidence, from: number, to: number) =>
  faults.hit(['worker'], from, to, ['stop']) || faults.hit(['worker', 'carrier'], from, to);

/**
 * A second `took` is lawful only if the first answer was really lost and the carrier answered a query that it has no such message. Source:
 * docs/decisions/0005-hand-off.md.
 */
const takenOnce: Rule = {
  name: 'taken-once',
  promise:
    'No message is accepted twice, by one carrier or by two, unless the response was lost and the carrier then denied that it accepted the message.',
  check: ({ handoffsOf }) =>
    [...handoffsOf.values()]
      .filter((calls) => unlawfulTakes(calls) > 0)
      .map((calls) =>
        found(
          `Carriers took a message ${takesOf(calls).length} times`,
          calls[0]?.token,
          ...takesOf(calls).map(({ providerId }) => providerId),
        ),
      ),
};

const takesOf = (calls: readonly Handoff[]) => calls.filter(({ tookAt }) => tookAt !== null);

function unlawfulTakes(calls: readonly Handoff[]): number {
  return takesOf(calls).filter((take, index, takes) => index > 0 && !isExcused(calls, takes[index - 1], take)).length;
}

function isExcused(calls: readonly Handoff[], first: Handoff | undefined, second: Handoff): boolean {
  if (first === undefined) return false;
  const isDenied = calls.some(
    ({ asked, found: isKnown, receivedAt }) =>
      asked && isKnown === false && receivedAt > first.receivedAt && receivedAt < second.receivedAt,
  );
  return isDenied && first.lostAt !== null;
}

/** How many messages were lawfully taken twice. */
export const lawfulDoubles = ({ handoffsOf }: Evidence): number =>
  [...handoffsOf.values()].filter((calls) => takesOf(calls).length > 1 && unlawfulTakes(calls) === 0).length;

/**
 * A second call for a message does not begin while a first may still be in progress: an attempt without an outcome blocks others for longer
 * than a call may last. If the way to the carrier was disturbed, the caller may know of an end that the carrier does not see.
 */
const oneCallAtATime: Rule = {
  name: 'one-call-at-a-time',
  promise: 'No second call for a message begins while a first one may still be in progress.',
  check: (evidence) =>
    [...evidence.handoffsOf.values()].flatMap((all) => {
      const calls = all.filter(({ asked }) => !asked);
      return calls.flatMap((second, index) => {
        const first = calls[index - 1];
        if (first === undefined || second.receivedAt - first.receivedAt > callMs) return [];
        const endedAt = first.answeredAt ?? first.lostAt ?? Number.POSITIVE_INFINITY;
        if (endedAt <= second.receivedAt || mayBeLate(evidence, first.receivedAt, second.receivedAt)) return [];
        return [found('A second call began beside the first', second.token, first.handoff, second.handoff)];
      });
    }),
};

/**
 * An attempt is written before its call, and the call follows at once. Source: docs/architecture.md, The path of a message, step 4; the
 * attempt's lease.
 */
const attemptFirst: Rule = {
  name: 'attempt-before-call',
  promise: 'An attempt is written before every call to a carrier, and the call is made within ten seconds after it.',
  check: (evidence) =>
    evidence.snapshot.messages.flatMap((row) => {
      const attempts = evidence.attemptsOf.get(row.id) ?? [];
      const hasAttempt = ({ receivedAt, account }: Handoff) =>
        attempts.some(
          ({ provider, started_at }) =>
            provider === account &&
            started_at <= receivedAt + clockMs &&
            (started_at >= receivedAt - callMs - slackMs || mayBeLate(evidence, started_at, receivedAt)),
        );
      return callsFor(evidence, row)
        .filter((call) => !hasAttempt(call))
        .map((call) => found('A carrier was called without an attempt, or long after it', row.id, call.token, call.handoff));
    }),
};

/** A scheduled message waits, and an expired one is not sent. Source: docs/contract/messages.md, Send; a claim may be one second early. */
const inItsTime: Rule = {
  name: 'in-its-time',
  promise: 'No carrier is called for a message before its scheduled time, or for the first time after it has expired.',
  check: (evidence) => evidence.snapshot.messages.flatMap((row) => timeFaults(evidence, row)),
};

const aheadMs = 1_000;

function timeFaults(evidence: Evidence, row: MessageFact): Found[] {
  const [first] = callsFor(evidence, row);
  if (first === undefined) return [];
  const call = evidence.requestOf.get(row.token ?? '')?.calls[0];
  const scheduledAt = call?.scheduledAt ?? 0;
  const expiresAt = call?.expiresAt ?? Number.POSITIVE_INFINITY;
  if (first.receivedAt < scheduledAt - aheadMs - clockMs) return [found('A scheduled message went out early', row.id, row.token)];
  const isLate = first.receivedAt > expiresAt + callMs + slackMs && !mayBeLate(evidence, expiresAt, first.receivedAt);
  // An earlier call that never reached the carrier makes the message uncertain. Then the carrier is asked first.
  const isUncertain = evidence.attemptsOf.get(row.id)?.some(({ outcome, started_at }) => outcome !== 'accepted' && started_at < expiresAt);
  return isLate && isUncertain !== true ? [found('A message went out after it had expired', row.id, row.token)] : [];
}

/** A message is `sent`, or in a later status, only if a carrier has it. Source: docs/contract/messages.md, Statuses. */
const sentIsTaken: Rule = {
  name: 'sent-is-taken',
  promise: 'A message becomes sent, delivered or read only if a carrier accepted it.',
  check: (evidence) =>
    evidence.snapshot.messages
      // The sandbox is a part of the service, so no observer sees what it takes.
      .filter((row) => ['sent', 'delivered', 'read'].includes(row.status) && row.provider !== 'sandbox')
      .filter((row) => !(evidence.handoffsOf.get(wordOf(row)) ?? []).some(({ tookAt }) => tookAt !== null))
      .map((row) => found(`No carrier took a message that is ${row.status}`, row.id, row.token)),
};

export const handoffRules = [takenOnce, oneCallAtATime, attemptFirst, inItsTime, sentIsTaken];
