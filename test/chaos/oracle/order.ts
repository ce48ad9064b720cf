/** The order in which receivers get events (docs/contract/webhooks.md; docs/decisions/0010-webhook-attempts.md). */
import { groupBy } from '../../../models/rules/values/group-by.js';
import { type Evidence } from './evidence.js';
import { type Found, found, type Rule } from './rule.js';
import type { DeliveryFact, EventFact, WebhookFact } from './snapshot.js';
import { isAcknowledged } from './event-delivery.js';

/** A delivery with the observations of its receiver. */
interface Observed {
  delivery: DeliveryFact;
  event: EventFact;
  /** Infinity: never. */
  firstAt: number;
  acknowledgedAt: number;
}

const steps = ['message.queued', 'message.sent', 'message.failed', 'message.delivered'];
const stepOf = ({ event }: Observed) => steps.indexOf(event.type);

/** The scheduled deliveries of a webhook. Resends and replays have no place in the order. */
function observedOf({ snapshot, deliveriesOf, arrivalsOf }: Evidence): Observed[] {
  return snapshot.events.flatMap((event) =>
    (deliveriesOf.get(event.id) ?? [])
      .filter(({ is_scheduled }) => is_scheduled)
      .map((delivery) => {
        const arrivals = arrivalsOf.get(`${delivery.webhook_id} ${event.id}`) ?? [];
        const never = Number.POSITIVE_INFINITY;
        return { delivery, event, firstAt: arrivals[0]?.at ?? never, acknowledgedAt: arrivals.find(isAcknowledged)?.at ?? never };
      }),
  );
}

/** Pairs of events of one message at one webhook, the earlier step first. */
function pairsOf(observed: Observed[]): [Observed, Observed][] {
  const lines = groupBy(observed, ({ delivery, event }) => `${delivery.webhook_id} ${event.message_id}`);
  return [...lines.values()].flatMap((line) => {
    const ordered = line.toSorted((one, other) => stepOf(one) - stepOf(other));
    return ordered.slice(1).map((later, index): [Observed, Observed] => [ordered[index] as Observed, later]);
  });
}

/** The POST of the earlier event itself was delayed: the way to the receiver was disturbed, or a worker was stopped. */
const isHeldUp = ({ faults }: Evidence, { event, firstAt }: Observed) =>
  faults.hit(['receiver'], event.created_at, firstAt) || faults.hit(['worker'], event.created_at, firstAt, ['stop']);

/** The events of one message keep their order if none needed a second attempt. Source: docs/contract/webhooks.md. */
const eventsInOrder: Rule = {
  name: 'events-in-order',
  promise: 'The events of a message reach each webhook in order as long as none of them needed a second attempt.',
  check: (evidence) =>
    pairsOf(observedOf(evidence))
      .filter(([earlier, later]) => earlier.delivery.attempts === 1 && later.delivery.attempts === 1 && later.firstAt < earlier.firstAt)
      .filter(([earlier]) => !isHeldUp(evidence, earlier))
      .map(([{ event }, later]) =>
        found(`${later.event.type} was delivered before ${event.type}`, event.message_id, later.delivery.webhook_id),
      ),
};

/** Transactions of other messages may commit in another order than they began. None lasts longer than this. */
const transactionMs = 35_000;

/**
 * An `ordered` webhook gets an event only after the earlier ones were acknowledged or their retry schedules have ended. This is strict for
 * the events of one message. For different messages, it applies if the earlier event was certainly written before the writing of the later
 * one began. Source: docs/decisions/0010-webhook-attempts.md.
 */
const orderedWebhook: Rule = {
  name: 'ordered-webhook',
  promise: 'An ordered webhook gets one event at a time, in the order in which they happened.',
  check: (evidence) => {
    const ordered = new Set(evidence.snapshot.webhooks.filter((webhook: WebhookFact) => webhook.ordered).map(({ id }) => id));
    const observed = observedOf(evidence).filter(({ delivery }) => ordered.has(delivery.webhook_id) && delivery.status === 'succeeded');
    const overtaken = pairsOf(observed)
      .filter(([earlier, later]) => later.firstAt < earlier.acknowledgedAt)
      .map(([earlier, later]) => overtaking(earlier, later));
    return [
      ...overtaken,
      ...[...groupBy(observed, ({ delivery }) => delivery.webhook_id).values()].flatMap((line) => acrossMessages(evidence, line)),
    ];
  },
};

const overtaking = (earlier: Observed, later: Observed) =>
  found(
    'An ordered webhook got an event before an earlier one was acknowledged',
    later.delivery.webhook_id,
    earlier.event.id,
    later.event.id,
  );

function acrossMessages(evidence: Evidence, line: Observed[]): Found[] {
  const written = line.map((observed) => ({ observed, by: writtenBy(evidence, observed) })).toSorted((one, other) => one.by - other.by);
  const begun = line.toSorted((one, other) => one.event.created_at - other.event.created_at);
  const overtaken: Found[] = [];
  let slowest: Observed | undefined;
  let next = 0;
  for (const later of begun) {
    for (let entry = written[next]; entry !== undefined && entry.by < later.event.created_at; entry = written[++next]) {
      if (slowest === undefined || entry.observed.acknowledgedAt > slowest.acknowledgedAt) slowest = entry.observed;
    }
    const isAnother = slowest !== undefined && slowest.event.message_id !== later.event.message_id;
    if (slowest !== undefined && isAnother && later.firstAt < slowest.acknowledgedAt) overtaken.push(overtaking(slowest, later));
  }
  return overtaken;
}

/** When the event was certainly committed: its content was in an answer, or no transaction lasts as long. */
function writtenBy({ requestOf, message }: Evidence, { event }: Observed): number {
  const atTheLatest = event.created_at + transactionMs;
  if (event.type !== 'message.queued') return atTheLatest;
  const row = message.get(event.message_id);
  const request = requestOf.get(row?.token ?? '');
  if (request?.operation !== 'send' || !request.accepted.includes(event.message_id)) return atTheLatest;
  const answered = request.calls.find(({ answer }) => answer?.status === 201);
  return Math.min(atTheLatest, (answered?.answer?.at ?? Number.POSITIVE_INFINITY) + clockSlackMs);
}

const clockSlackMs = 250;

export const orderRules = [eventsInOrder, orderedWebhook];
