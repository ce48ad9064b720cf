/** The answers to clients: the same answer to a repeated request, and the data of a batch (docs/contract/messages.md, batches.md). */
import { groupBy } from '../../../models/rules/values/group-by.js';
import { type Call, type Evidence, type Request } from './evidence.js';
import { type Found, found, type Rule } from './rule.js';

const answered = ({ calls }: Request, status: number) => calls.filter(({ answer }) => answer?.status === status);

/** The fields of a first answer that a repeated one must have too. */
const kept = ['id', 'status', 'credits_used', 'created_at', 'total', 'accepted'];

/** Same key and same body: the first answer again. Source: docs/contract/messages.md, Idempotency. */
const sameAnswer: Rule = {
  name: 'same-answer',
  promise: 'A repeated request gets the first response again: the same message, with its status at that time.',
  check: ({ requests }) =>
    requests.flatMap((request) => {
      const [first, ...others] = answered(request, 201);
      return others
        .filter(({ answer }) => kept.some((field) => fieldOf(answer, field) !== fieldOf(first?.answer, field)))
        .map(({ key, call }) => found('A repeated request got another answer than the first', request.workspace, key, call));
    }),
};

const fieldOf = (answer: Call['answer'] | undefined, field: string) => JSON.stringify(field === 'id' ? answer?.id : answer?.data?.[field]);

/**
 * After a request was accepted, its key returns that answer, marked as replayed, and no refusal. 429 and 5xx say nothing about the request,
 * because they come before the check of the key. Source: docs/contract/messages.md, Idempotency; errors.md, Order of checks.
 */
const repeatIsReplay: Rule = {
  name: 'repeat-is-replay',
  promise: 'After a request was accepted, its idempotency key returns that response, marked as replayed, and never a refusal.',
  check: ({ requests }) =>
    requests.flatMap((request) => {
      const acceptedAt = Math.min(...answered(request, 201).map(({ answer }) => answer?.at ?? Number.POSITIVE_INFINITY));
      const later = request.calls.filter(({ at, answer }) => at > acceptedAt && answer !== null);
      return later
        .filter(({ answer }) => isWrongRepeat(answer))
        .map(({ key, call, answer }) =>
          found(`A repeated request got ${answer?.status}, not marked as replayed`, request.workspace, key, call),
        );
    }),
};

function isWrongRepeat(answer: Call['answer']): boolean {
  if (answer === null || answer.status === 429 || answer.status >= 500) return false;
  return answer.status !== 201 || !answer.replayed;
}

/**
 * A batch has as many messages as its row says, and is completed when none is queued. Its counts add up in every answer. Source:
 * docs/contract/batches.md.
 */
const batchAddsUp: Rule = {
  name: 'batch-adds-up',
  promise:
    'A batch has as many messages as it accepted, its cost is the sum of theirs, its counts add up at any time, and it is completed when none is queued.',
  check: (evidence) => {
    const rows = groupBy(evidence.snapshot.messages, ({ batch_id }) => batch_id ?? '');
    return [
      ...evidence.snapshot.batches.flatMap((batch): Found[] => {
        const own = rows.get(batch.id) ?? [];
        const cost = own.reduce((sum, message) => sum + message.cost, 0);
        if (own.length !== batch.accepted) return [found(`A batch of ${batch.accepted} has ${own.length} messages`, batch.id)];
        if (cost !== batch.cost) return [found(`A batch of ${batch.cost} has messages worth ${cost}`, batch.id)];
        // An ended batch is marked as completed when it is read. The answers are judged separately.
        const isOver = batch.status === 'completed' || batch.completed_at !== null;
        const isQueued = own.some(({ status }) => status === 'queued');
        return isOver && isQueued ? [found(`A batch is ${batch.status} and over, and some of it is queued`, batch.id)] : [];
      }),
      ...evidence.calls.filter(({ operation }) => operation === 'get-batch').flatMap(lookOf),
    ];
  },
};

function lookOf({ answer, target, call }: Call): Found[] {
  if (answer?.status !== 200) return [];
  const { counts, accepted, status } = answer.data as { counts: Record<string, number>; accepted: number; status: string };
  const sum = Object.values(counts).reduce((total, count) => total + count, 0);
  if (sum !== accepted) return [found(`A batch of ${accepted} shows counts of ${sum}`, target, call)];
  const isOver = (counts.queued ?? 0) === 0;
  const isShownOver = status === 'completed' || (status === 'cancelled' && isOver);
  return isOver === isShownOver ? [] : [found(`A batch is shown as ${status} with ${counts.queued ?? 0} queued`, target, call)];
}

/** The answer to a cancel is true. Source: docs/contract/messages.md, Statuses; batches.md. */
const cancelIsTrue: Rule = {
  name: 'cancel-is-true',
  promise: 'What the API reported as cancelled is cancelled, and what it refused to cancel is not.',
  check: (evidence) => evidence.calls.flatMap((call) => cancelFaults(evidence, call)),
};

function cancelFaults({ message, snapshot, callsOn }: Evidence, { operation, target = '', answer, call }: Call): Found[] {
  if (answer === null) return [];
  if (operation === 'cancel-batch') {
    const batch = snapshot.batches.find(({ id }) => id === target);
    return answer.status === 200 && batch?.status !== 'cancelled' ? [found(`A cancelled batch is ${batch?.status}`, target, call)] : [];
  }
  if (operation !== 'cancel') return [];
  const row = message.get(target);
  if (answer.status === 200) return row?.error_code === 'cancelled' ? [] : [found(`A cancelled message is ${row?.status}`, target, call)];
  const isTold = callsOn.get(target)?.some((other) => other.operation === 'cancel' && other.answer?.status !== 409) === true;
  const isWrong = answer.status === 409 && row?.error_code === 'cancelled' && row.batch_id === null && !isTold;
  return isWrong ? [found('A message was cancelled although the answer was 409', target, call)] : [];
}

export const answerRules = [sameAnswer, repeatIsReplay, batchAddsUp, cancelIsTrue];
