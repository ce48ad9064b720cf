/** How messages end: as the carrier reported, and never as failed while the carrier has them (docs/contract/messages.md). */
import { waitsForResume } from './acceptance.js';
import { type Call, type Evidence, placeOf, type Report, wordOf } from './evidence.js';
import { callMs, slackMs } from './handing-off.js';
import type { Handoff } from './handoffs.js';
import { answerMayBeLost } from './lost-answers.js';
import type { EventFact, MessageFact } from './snapshot.js';
import { clockMs, type Found, found, type Rule } from './rule.js';
import { endsOf } from './statuses.js';

const takesFor = ({ handoffsOf }: Evidence, row: MessageFact): Handoff[] =>
  (handoffsOf.get(wordOf(row)) ?? []).filter(({ tookAt }) => tookAt !== null);

/** Genuine reports about a message, from all carriers that took it. */
const reportsAbout = (evidence: Evidence, row: MessageFact): Report[] =>
  takesFor(evidence, row)
    .flatMap(({ account, providerId }) => evidence.reportsOf.get(`${account} ${providerId}`) ?? [])
    .filter(({ genuine }) => genuine);

const isKept = ({ status_answered }: Report) => status_answered !== null && status_answered < 300;

/**
 * The final status is one that the transition table permits for the reports that were answered with 2xx, in some order. A report without
 * such an answer may have been stored or not. Source: docs/contract/messages.md, Statuses.
 */
const reportDecides: Rule = {
  name: 'report-decides',
  promise:
    'A message that a carrier accepted ends as its reports say: delivered overrides failed, read exists on WhatsApp only, and without a report it stays sent.',
  check: (evidence) =>
    evidence.snapshot.messages.flatMap((row) => {
      if (takesFor(evidence, row).length === 0) return [];
      const reports = reportsAbout(evidence, row);
      const sure = new Set(reports.filter(isKept).map(({ status }) => status));
      if (sure.size === 0 && waitsForResume(evidence, row)) return [];
      const perhaps = new Set(reports.filter((report) => !isKept(report)).map(({ status }) => status));
      // Never sent according to our books: its end was decided while it was unknown that the carrier had taken it.
      const begins = row.sent_at === null ? 'failed' : 'sent';
      const ends = endsOf(begins, [...sure], [...perhaps], row.channel);
      if (ends.has(row.status)) return [];
      const said = [...sure].join(', ') || 'nothing';
      return [found(`A message ends as ${row.status} where its carrier reported ${said}`, row.id, row.token, row.provider_message_id)];
    }),
};

/**
 * `handoff_unknown` breaks a promise if a report was accepted before it, or within the wait after the call: the carrier had reported that
 * it has the message. Source: docs/decisions/0005-hand-off.md.
 */
const takenIsNotFailed: Rule = {
  name: 'taken-is-not-failed',
  promise: 'A message that a carrier accepted does not fail if a report about it comes within the wait for unknown hand-offs.',
  check: (evidence) =>
    evidence.snapshot.messages.flatMap((row) => {
      const event = gaveUpEvent(evidence, row);
      if (event === undefined && row.error_code !== unknownCode) return [];
      const take = takesFor(evidence, row)[0];
      if (take === undefined) return [];
      const waitsUntil = take.receivedAt + evidence.limits.unknownHandoffMs - callMs - slackMs; // the wait starts with the claim
      const until = Math.max(event?.created_at ?? 0, waitsUntil);
      const early = reportsAbout(evidence, row).find((report) => isKept(report) && report.answeredAt < until - inboxMs);
      return early === undefined
        ? []
        : [found('A taken message was declared failed although its report came', row.id, row.token, early.report)];
    }),
};

const unknownCode = 'handoff_unknown';
/** The time in which a report may be stored while its message is given up. */
const inboxMs = 1_000;

function gaveUpEvent({ eventsOf }: Evidence, row: MessageFact): EventFact | undefined {
  return eventsOf.get(row.id)?.find(({ type, body }) => type === 'message.failed' && body?.includes(`"${unknownCode}"`) === true);
}

/**
 * A failure has a reason that is in the contract and that happened: refused or reported by the carrier, cancelled by a call, expired,
 * suppressed after a bounce, a carrier that was down all the time, or an answer that was really lost. Source: docs/contract/messages.md;
 * docs/decisions/0005-hand-off.md.
 */
const lawfulFailure: Rule = {
  name: 'lawful-failure',
  promise: 'Every failed message has a reason that really occurred: the carrier, the client, the clock, or a response that was lost.',
  check: (evidence) =>
    evidence.snapshot.messages
      .filter(({ status }) => status === 'failed')
      .filter((row) => !isLawful(evidence, row))
      .map((row) => found(`A message failed as ${row.error_code} without such a cause`, row.id, row.token)),
};

function isLawful(evidence: Evidence, row: MessageFact): boolean {
  const { handoffsOf, callsOn, snapshot, limits } = evidence;
  const calls = (handoffsOf.get(wordOf(row)) ?? []).filter(({ asked }) => !asked);
  const isTaken = takesFor(evidence, row).length > 0;
  if (row.sent_at !== null) return reportsAbout(evidence, row).some(({ status }) => status === 'failed');
  if (row.error_code === unknownCode)
    return calls.length > 0
      ? calls.some((call) => answerMayBeLost(evidence, call, evidence.attemptsOf.get(row.id)?.[0]?.started_at))
      : wasCut(evidence, row);
  if (isTaken) return false;
  switch (row.error_code ?? '') {
    case 'cancelled':
      return [row.id, row.batch_id ?? ''].some((id) => callsOn.get(id)?.some(isCancel));
    case 'expired':
      return hasExpired(evidence, row) || snapshot.fallbacks.some(({ message_id, next_id }) => message_id === row.id && next_id !== null);
    case 'suppressed':
      return calls.some(({ refused }) => refused) || hadBounce(evidence, row) || isSuppressed(evidence, row);
    case 'provider_unavailable':
      return (row.failed_at ?? 0) - Math.max(row.created_at, row.scheduled_at ?? 0) >= limits.handoffMs - workerClockMs;
    default:
      return calls.some(({ refused }) => refused);
  }
}

/** `failed_at` comes from a worker, whose clock may be wrong by this much. */
const workerClockMs = 32_000;

const mayHaveWorked = ({ answer }: Call) => answer === null || answer.status < 300 || answer.status >= 500;

/** An erasure cancels what was not handed off. */
const isCancel = (call: Call) => ['cancel', 'cancel-batch', 'erase'].includes(call.operation) && mayHaveWorked(call);

const isSuppressed = ({ suppressionsOf }: Evidence, { workspace_id: workspace, channel, to }: MessageFact) =>
  suppressionsOf.get(placeOf({ workspace, channel, to }))?.some(mayHaveWorked) === true;

/** By the clock of PostgreSQL, which decides it. */
function hasExpired({ requestOf, eventsOf }: Evidence, row: MessageFact): boolean {
  const expiresAt = requestOf.get(row.token ?? '')?.calls[0]?.expiresAt;
  const failure = eventsOf.get(row.id)?.find(({ type }) => type === 'message.failed');
  return expiresAt !== undefined && (failure === undefined || failure.created_at >= expiresAt - clockMs);
}

/** Any carrier of the channel has refused the recipient, or reported a failure. */
const hadBounce = ({ handoffs, reports }: Evidence, { channel, to }: MessageFact) =>
  handoffs.some(
    (call) =>
      call.channel === channel &&
      call.to === to &&
      (call.refused || reports.some((report) => report.status === 'failed' && report.providerId === call.providerId)),
  );

/** An attempt that no carrier saw: a worker was killed, stopped or disconnected before its call was sent. */
function wasCut({ attemptsOf, faults }: Evidence, row: MessageFact): boolean {
  // Giving up is an attempt of its own, without a call, so it may be any of them.
  const unknown = (attemptsOf.get(row.id) ?? []).filter(({ outcome }) => outcome === null || outcome === 'unknown');
  return unknown.some(
    ({ started_at: from }) => faults.hit(['worker'], from, from + 12_000) || faults.hit(['carrier'], from, from + 12_000),
  );
}

/** Every genuine report is accepted, stored and applied. Source: docs/decisions/0006-delivery-reports.md; docs/contract/messages.md, Statuses. */
const reportIsKept: Rule = {
  name: 'report-is-kept',
  promise: 'Every genuine report is accepted, stored once and applied.',
  check: ({ reports, snapshot, handoffs }) => {
    const kept = new Map(snapshot.inbox.map((row) => [`${row.provider} ${row.provider_message_id} ${row.status}`, row]));
    const known = new Set(handoffs.filter(({ tookAt }) => tookAt !== null).map(({ account, providerId }) => `${account} ${providerId}`));
    return reports
      .filter(({ genuine }) => genuine)
      .flatMap((report): Found[] => {
        const { account, providerId, status, status_answered } = report;
        if (status_answered !== null && status_answered >= 400 && status_answered < 500 && status_answered !== 429)
          return [found(`A genuine report was refused with ${status_answered}`, report.report, providerId)];
        if (!isKept(report)) return [];
        const row = kept.get(`${account} ${providerId} ${status}`);
        if (row === undefined) return [found('A report that was accepted is not there', report.report, providerId)];
        const isDone = row.applied_at !== null || !known.has(`${account} ${providerId}`);
        return isDone ? [] : [found('A report was never worked off', report.report, providerId)];
      });
  },
};

/** A forged report leaves no trace: the inbox contains only reports that a carrier posted. Source: docs/carriers.md, Set up. */
const forgedChangesNothing: Rule = {
  name: 'forged-changes-nothing',
  promise: 'A forged report is refused and changes nothing.',
  check: ({ reports, snapshot }) => {
    const posted = new Set(
      reports.filter(({ genuine }) => genuine).map((report) => `${report.account} ${report.providerId} ${report.status}`),
    );
    return [
      ...snapshot.inbox
        .filter(({ provider }) => provider !== 'sandbox')
        .filter((row) => !posted.has(`${row.provider} ${row.provider_message_id} ${row.status}`))
        .map((row) => found('The inbox holds a report that no carrier posted', row.provider_message_id, row.status)),
      ...reports
        .filter((report) => !report.genuine && isKept(report))
        .map(({ report, providerId }) => found('A forged report was accepted', report, providerId)),
    ];
  },
};

export const outcomeRules = [reportDecides, takenIsNotFailed, lawfulFailure, reportIsKept, forgedChangesNothing];
