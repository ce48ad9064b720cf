/**
 * What is accepted exists and ends. What is refused leaves nothing (docs/contract/errors.md, messages.md;
 * docs/decisions/0001-postgresql-holds-the-truth.md).
 */
import { groupBy } from '../../../models/rules/values/group-by.js';
import { type Call, type Evidence, type Request, wordOf } from './evidence.js';
import type { MessageFact } from './snapshot.js';
import { type Found, found, type Rule } from './rule.js';

/** Every 201 has its message, or its batch with all messages. Source: docs/contract/messages.md, Send; batches.md. */
const acceptedExists: Rule = {
  name: 'accepted-exists',
  promise: 'Every accepted send has its message, and every accepted batch has all its messages, as they were requested.',
  check: (evidence) => evidence.requests.flatMap((request) => request.accepted.flatMap((id) => missing(evidence, request, id))),
};

function missing({ snapshot, message }: Evidence, request: Request, id: string): Found[] {
  if (request.operation === 'send') {
    const [item] = request.items;
    const row = message.get(id);
    if (row === undefined || row.workspace_id !== request.workspace) return [found('An accepted message is not there', id, item?.token)];
    const isSame = item !== undefined && wordOf(row) === wordOf({ ...item, channel: request.channel });
    return isSame ? [] : [found('An accepted message is not the one that was asked for', id, item?.token, row.token)];
  }
  const batch = snapshot.batches.find((row) => row.id === id && row.workspace_id === request.workspace);
  if (batch === undefined) return [found('An accepted batch is not there', id)];
  const words = new Set(snapshot.messages.filter(({ batch_id }) => batch_id === id).map(wordOf));
  const lost = request.items.filter((item) => !words.has(wordOf({ ...item, channel: request.channel })));
  return lost.map(({ token }) => found('An accepted batch lacks one of its messages', id, token));
}

/**
 * Nothing waits forever: when all work is settled, only scheduled and paused messages are queued, unless they have expired. Source: README, "it
 * survives any crash"; docs/contract/batches.md.
 */
const acceptedEnds: Rule = {
  name: 'accepted-ends',
  promise:
    'Every accepted message reaches a final status: at the end of a run only scheduled messages and those of paused batches that have not expired are queued.',
  check: (evidence) => {
    const { snapshot, requestOf } = evidence;
    const isUnexpired = ({ token }: MessageFact) => (requestOf.get(token ?? '')?.calls[0]?.expiresAt ?? never) > snapshot.at;
    const waits = (row: MessageFact) =>
      (row.scheduled_at ?? 0) > snapshot.at || (isPaused(evidence, row) && (isUnexpired(row) || isUncertain(evidence, row)));
    return [
      ...snapshot.messages
        .filter((row) => row.status === 'accepting' || (row.status === 'queued' && !waits(row)))
        .map((row) => found(`A message is stuck as ${row.status}, ${row.status_detail}`, row.id, row.token)),
      ...snapshot.batches.filter(({ status }) => status === 'accepting').map(({ id }) => found('A batch is stuck as accepting', id)),
    ];
  },
};

const never = Number.POSITIVE_INFINITY;

const isPaused = ({ snapshot }: Evidence, { batch_id }: MessageFact) =>
  batch_id !== null && snapshot.batches.some(({ id, status }) => id === batch_id && status === 'paused');

/** A carrier may have the message. */
const isUncertain = ({ attemptsOf }: Evidence, { id }: MessageFact) =>
  attemptsOf.get(id)?.some(({ outcome }) => outcome === null || outcome === 'unknown') === true;

/**
 * A message of a paused batch whose call had no response: no carrier is called or queried for it, and it does not expire. Source:
 * docs/contract/batches.md, A batch.
 */
export const waitsForResume = (evidence: Evidence, row: MessageFact): boolean =>
  row.status === 'queued' && isPaused(evidence, row) && isUncertain(evidence, row);

/**
 * A request that got only refusals leaves no trace (docs/contract/errors.md, Order of checks). A 500 while the database was disturbed is
 * not a refusal, because the API could not find out what was decided. Such a request counts as one without an answer, and
 * `uncertainRefusals` counts it.
 */
const refusedLeavesNothing: Rule = {
  name: 'refused-leaves-nothing',
  promise: 'A refused request leaves no message, charge or event, and causes no call to a carrier.',
  check: (evidence) => {
    const rows = groupBy(evidence.snapshot.messages, wordOf);
    const isRefusedFully = ({ calls }: Request) => calls.every((call) => isRefusal(evidence, call));
    return evidence.requests.filter(isRefusedFully).flatMap(({ channel, items, workspace, calls }) =>
      items.flatMap((item) => {
        const word = wordOf({ ...item, channel });
        const statuses = calls.map(({ answer }) => answer?.status).join(', ');
        const row = rows.get(word)?.find(({ workspace_id }) => workspace_id === workspace);
        if (row !== undefined) return [found(`A request that was refused (${statuses}) left a message`, row.id, item.token)];
        const calledAt = evidence.handoffsOf.get(word);
        return calledAt === undefined ? [] : [found(`A carrier was called for a request that was refused (${statuses})`, item.token)];
      }),
    );
  },
};

function isRefusal(evidence: Evidence, { answer, at }: Call): boolean {
  if (answer === null || answer.status < 400) return false;
  return !isUncertainRefusal(evidence, answer.status, at, answer.at);
}

const isUncertainRefusal = ({ faults }: Evidence, status: number, from: number, to: number) =>
  status === 500 && (faults.hit(['postgres'], from, to) || faults.hit(['disk'], from, to));

/** How many calls got a 500 that does not say what was decided. */
export const uncertainRefusals = (evidence: Evidence): number =>
  evidence.calls.filter(({ answer, at }) => answer !== null && isUncertainRefusal(evidence, answer.status, at, answer.at)).length;

/** Each message, and each call to a carrier, has a request. Source: docs/contract/errors.md, Order of checks. */
const nothingFromNowhere: Rule = {
  name: 'nothing-from-nowhere',
  promise: 'There is no message that nobody requested, and no carrier is called for a message that does not exist.',
  check: (evidence) => {
    const { snapshot, requests, requestOf, handoffs } = evidence;
    const wanted = new Map(requests.map((request) => [request, wordsOf(request)]));
    const asked = (row: MessageFact) => {
      const request = requestOf.get(row.token ?? '');
      return request !== undefined && request.workspace === row.workspace_id && wanted.get(request)?.has(wordOf(row)) === true;
    };
    const words = new Set(snapshot.messages.map(wordOf));
    return [
      ...snapshot.messages.filter((row) => !asked(row)).map(({ id, token }) => found('Nobody asked for this message', id, token)),
      ...handoffs.filter((call) => !words.has(wordOf(call))).map((call) => found('A carrier was called for no message', call.token)),
    ];
  },
};

/** The messages that a request may cause: its own, and the steps of its chain. */
function wordsOf({ channel, items, calls }: Request): Set<string> {
  const steps = calls[0]?.fallback ?? [];
  return new Set(items.flatMap((item) => [wordOf({ ...item, channel }), ...steps.map((step) => wordOf({ ...step, token: item.token }))]));
}

/** A request creates one message for each of its recipients, however often it is repeated. Source: docs/contract/messages.md, Idempotency. */
const oneMessage: Rule = {
  name: 'one-message-a-request',
  promise: 'A request creates one message for each recipient, however often it is repeated with its idempotency key.',
  check: ({ snapshot }) =>
    [...groupBy(snapshot.messages, (row) => `${row.workspace_id} ${wordOf(row)}`).values()]
      .filter((rows) => rows.length > 1)
      .map((rows) => found('One request made several messages', ...rows.map(({ id }) => id), rows[0]?.token)),
};

export const acceptanceRules = [acceptedExists, acceptedEnds, refusedLeavesNothing, nothingFromNowhere, oneMessage];
