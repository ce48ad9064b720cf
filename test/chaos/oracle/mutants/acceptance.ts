/** Lost, doubled and undecided messages, and traces of refused ones. */
import {
  drop,
  dropEvents,
  dropHandoffs,
  entryOf,
  eventsOf,
  first,
  forget,
  message,
  type Draft,
  type Mutant,
  recordsOf,
  refold,
  sort,
} from './edit.js';
import type { MessageFact } from '../snapshot.js';

export const callOf = (run: Draft, row: MessageFact) =>
  recordsOf(run, 'call').filter(({ items }) => items?.some(({ token }) => token === row.token));
const answerOf = (run: Draft, call: number) => first(recordsOf(run, 'answer'), (answer) => answer.call === call);
export const once = (run: Draft, row: MessageFact) => callOf(run, row).length === 1;

/** Duplicates the message and everything that follows from it. */
function double(run: Draft, row: MessageFact): void {
  const twin = { ...row, id: `${row.id}-twin`, idempotency_key: null };
  const { snapshot } = run;
  snapshot.messages.push(twin);
  snapshot.attempts.push(
    ...snapshot.attempts.filter(({ message_id }) => message_id === row.id).map((each) => ({ ...each, message_id: twin.id })),
  );
  for (const entry of snapshot.entries.filter(({ reference }) => reference === row.id))
    snapshot.entries.splice(snapshot.entries.indexOf(entry) + 1, 0, { ...entry, reference: twin.id });
  refold(run, row.workspace_id);
  first(snapshot.workspaces, ({ id }) => id === row.workspace_id).message_count += 1;
  for (const event of eventsOf(run, row)) {
    const id = `${event.id}-twin`;
    const body = (event.body ?? '').replace(row.id, twin.id);
    snapshot.events.push({ ...event, id, message_id: twin.id, body });
    snapshot.deliveries.push(
      ...snapshot.deliveries.filter(({ event_id }) => event_id === event.id).map((each) => ({ ...each, event_id: id })),
    );
    run.history.push(
      ...recordsOf(run, 'event')
        .filter((record) => record.id === event.id)
        .map((record) => ({ ...record, id, body })),
    );
  }
  sort(run);
}

export const delivered = (row: MessageFact) => row.status === 'delivered' && row.scheduled_at === null;

export const acceptanceMutants: Mutant[] = [
  {
    name: 'an accepted message is lost together with its debit',
    rule: 'accepted-exists',
    plant: (run) =>
      forget(
        run,
        message(run, (row) => delivered(row) && once(run, row)),
      ),
  },
  {
    name: 'a message is lost whose answer the client never got',
    rule: 'accepted-exists',
    plant: (run) => {
      const lost = first(recordsOf(run, 'answer'), ({ replayed, data }) => replayed && data?.status_detail !== undefined);
      forget(
        run,
        first(run.snapshot.messages, ({ id }) => id === lost.id),
      );
    },
  },
  {
    name: 'a batch lacks a message, and its counts too',
    rule: 'accepted-exists',
    plant: (run) => {
      const batch = first(run.snapshot.batches, ({ status }) => status === 'completed');
      const row = first(run.snapshot.messages, ({ batch_id, status }) => batch_id === batch.id && status !== 'failed');
      batch.accepted -= 1;
      batch.cost -= row.cost;
      entryOf(run, 'debit', batch.id).amount += row.cost;
      drop(run.history, (record) => record.type === 'answer' && record.data?.id === batch.id && record.data.counts !== undefined);
      forget(run, row);
    },
  },
  {
    name: 'the answer names the message of another request',
    rule: 'accepted-exists',
    plant: (run) => {
      const row = message(run, (each) => delivered(each) && once(run, each));
      const other = message(run, (each) => delivered(each) && each.id !== row.id && once(run, each));
      answerOf(run, callOf(run, row)[0]?.call ?? 0).id = other.id;
    },
  },
  {
    name: 'a message waits forever',
    rule: 'accepted-ends',
    plant: (run) => {
      const row = message(run, (each) => each.status === 'delivered' && eventsOf(run, each, 'message.failed').length === 0);
      dropHandoffs(run, row);
      dropEvents(run, [...eventsOf(run, row, 'message.sent'), ...eventsOf(run, row, 'message.delivered')]);
      Object.assign(row, {
        status: 'queued',
        status_detail: 'sending',
        sent_at: null,
        delivered_at: null,
        provider: null,
        provider_message_id: null,
      });
    },
  },
  {
    name: 'a message is never decided',
    rule: 'accepted-ends',
    plant: (run) => Object.assign(message(run, delivered), { status: 'accepting' }),
  },
  {
    name: 'a batch is never decided',
    rule: 'accepted-ends',
    plant: (run) =>
      Object.assign(
        first(run.snapshot.batches, () => true),
        { status: 'accepting' },
      ),
  },
  {
    name: 'a send was accepted although its answer was 503',
    rule: 'refused-leaves-nothing',
    plant: (run) => {
      const row = message(run, (each) => delivered(each) && once(run, each));
      Object.assign(answerOf(run, callOf(run, row)[0]?.call ?? 0), { status: 503, id: null, data: null });
    },
  },
  {
    name: 'a send was accepted although its answer was 500 while the database worked',
    rule: 'refused-leaves-nothing',
    plant: (run) => {
      const row = message(run, (each) => delivered(each) && once(run, each));
      Object.assign(answerOf(run, callOf(run, row)[0]?.call ?? 0), { status: 500, id: null, data: null });
    },
  },
  {
    name: 'a carrier is called for a send that was refused because of too few credits',
    rule: 'refused-leaves-nothing',
    plant: (run) => {
      const refused = first(recordsOf(run, 'answer'), ({ status }) => status === 402);
      const call = first(recordsOf(run, 'call'), (each) => each.call === refused.call && each.operation === 'send');
      const [item] = call.items ?? [];
      const { channel = 'sms' } = call;
      const base = {
        type: 'carrier' as const,
        handoff: 1,
        carrier: 'twilio',
        account: 'twilio',
        channel,
        token: item?.token ?? '',
        to: item?.to ?? '',
      };
      run.history.push({ ...base, did: 'took', providerId: 'SM0', at: refused.at });
      sort(run);
    },
  },
  {
    name: 'two requests with one key create two messages, and both are debited',
    rule: 'one-message-a-request',
    plant: (run) =>
      double(
        run,
        message(run, (row) => delivered(row) && callOf(run, row).length === 2),
      ),
  },
  {
    name: 'a message is stored and debited twice',
    rule: 'one-message-a-request',
    plant: (run) =>
      double(
        run,
        message(run, (row) => row.status === 'sent'),
      ),
  },
];
