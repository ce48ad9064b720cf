/** Events that are lost, doubled, false, or for another subscriber. */
import {
  deliveryOf,
  drop,
  dropEvents,
  eventsOf,
  first,
  message,
  type Draft,
  Missing,
  type Mutant,
  type RecordOf,
  recordsOf,
  rewrite,
  sort,
} from './edit.js';
import type { EventFact, MessageFact, WebhookFact } from '../snapshot.js';

export const webhook = ({ snapshot }: Draft, ordered: boolean): WebhookFact => first(snapshot.webhooks, (each) => each.ordered === ordered);
const delivered = (run: Draft) => message(run, (row) => row.status === 'delivered' && eventsOf(run, row, 'message.failed').length === 0);
const lastEvent = (run: Draft): EventFact => first(eventsOf(run, delivered(run), 'message.delivered'), () => true);
const dropRecord = (run: Draft, record: RecordOf<'event'>) => drop(run.history, (each) => each === record);

const isFailed = (row: MessageFact) => row.status === 'failed' && row.error_code === 'cancelled';

/** Duplicates an event. */
function doubleEvent(run: Draft, event: EventFact): void {
  const id = `${event.id}-twin`;
  run.snapshot.events.push({ ...event, id });
  run.snapshot.deliveries.push(
    ...run.snapshot.deliveries.filter(({ event_id }) => event_id === event.id).map((each) => ({ ...each, event_id: id })),
  );
  run.history.push(
    ...recordsOf(run, 'event')
      .filter((record) => record.id === event.id)
      .map((record) => ({ ...record, id })),
  );
  sort(run);
}

export const eventDeliveryMutants: Mutant[] = [
  { name: 'an event is never written', rule: 'event-per-move', plant: (run) => dropEvents(run, [lastEvent(run)]) },
  { name: 'an event is written twice', rule: 'event-per-move', plant: (run) => doubleEvent(run, lastEvent(run)) },
  {
    name: 'a refused send has an event',
    rule: 'event-per-move',
    plant: (run) => {
      const event = { ...lastEvent(run), id: 'event-of-nothing', message_id: 'message-of-nobody' };
      run.snapshot.events.push(event);
    },
  },
  {
    name: 'a sent message has the event of a failure',
    rule: 'event-per-move',
    plant: (run) => {
      const row = message(run, ({ status }) => status === 'sent');
      const [event] = eventsOf(run, row, 'message.sent');
      if (event === undefined) throw new Missing();
      doubleEvent(run, event);
      const twin = first(run.snapshot.events, ({ id }) => id === `${event.id}-twin`);
      twin.type = 'message.failed';
      for (const record of recordsOf(run, 'event')) if (record.id === twin.id) record.event = twin.type;
    },
  },
  {
    name: 'a subscriber has no delivery of an event',
    rule: 'event-for-each',
    plant: (run) => {
      const { delivery, arrivals } = deliveryOf(run, lastEvent(run), webhook(run, false).id);
      drop(run.snapshot.deliveries, (each) => each === delivery);
      for (const record of arrivals) dropRecord(run, record);
    },
  },
  {
    name: 'an event counts as delivered although it never arrived',
    rule: 'event-is-delivered',
    plant: (run) => {
      for (const record of deliveryOf(run, lastEvent(run), webhook(run, false).id).arrivals) dropRecord(run, record);
    },
  },
  {
    name: 'an event counts as delivered although its receiver answered 500',
    rule: 'event-is-delivered',
    plant: (run) => {
      for (const record of deliveryOf(run, lastEvent(run), webhook(run, false).id).arrivals) record.answers = 500;
    },
  },
  {
    name: 'an event is not retried after its first failure',
    rule: 'event-is-delivered',
    plant: (run) =>
      Object.assign(
        first(run.snapshot.deliveries, ({ webhook_id }) => webhook_id === webhook(run, true).id),
        { status: 'pending' },
      ),
  },
  {
    name: 'an event is given up before its retry schedule has ended',
    rule: 'event-is-delivered',
    plant: (run) =>
      Object.assign(
        first(run.snapshot.deliveries, ({ webhook_id }) => webhook_id === webhook(run, true).id),
        { status: 'failed' },
      ),
  },
  {
    name: 'an event of an active webhook is held',
    rule: 'event-is-delivered',
    plant: (run) =>
      Object.assign(
        first(run.snapshot.deliveries, ({ webhook_id }) => webhook_id === webhook(run, true).id),
        { status: 'held' },
      ),
  },
  {
    name: 'an attempt has different bytes than the one before',
    rule: 'event-is-genuine',
    plant: (run) => {
      const record = first(recordsOf(run, 'event'), () => true);
      record.body = `${record.body} `;
    },
  },
  {
    name: 'a receiver gets an event of another workspace',
    rule: 'event-is-genuine',
    plant: (run) => {
      const poor = run.snapshot.webhooks.at(-1);
      run.history.push({ ...first(recordsOf(run, 'event'), (each) => each.webhook !== poor?.id), webhook: poor?.id ?? '' });
      sort(run);
    },
  },
  {
    name: 'the header names another event than the body',
    rule: 'event-is-genuine',
    plant: (run) => {
      const record = first(recordsOf(run, 'event'), ({ event }) => event === 'message.sent');
      record.event = 'message.delivered';
    },
  },
  {
    name: 'an event arrives unsigned',
    rule: 'event-is-signed',
    plant: (run) =>
      Object.assign(
        first(recordsOf(run, 'event'), () => true),
        { signed: false },
      ),
  },
  {
    name: 'an event names another recipient',
    rule: 'event-is-true',
    plant: (run) => rewrite(run, lastEvent(run), (data) => (data.recipient = '+15550000000')),
  },
  {
    name: 'an event names another price',
    rule: 'event-is-true',
    plant: (run) =>
      rewrite(
        run,
        first(eventsOf(run, delivered(run), 'message.queued'), () => true),
        (data) => (data.credits_used = 0),
      ),
  },
  {
    name: 'the event of a failure names another reason',
    rule: 'event-is-true',
    plant: (run) =>
      rewrite(
        run,
        first(eventsOf(run, message(run, isFailed), 'message.failed'), () => true),
        (data) => (data.error_code = '30006'),
      ),
  },
  {
    name: 'the event of a hand-off names another id of the provider',
    rule: 'event-is-true',
    plant: (run) =>
      rewrite(
        run,
        first(eventsOf(run, delivered(run), 'message.sent'), () => true),
        (data) => (data.provider_message_id = 'SM1'),
      ),
  },
];
