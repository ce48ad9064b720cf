/** Inactive webhooks that get events, and replays that leave some out. */
import { deliveryOf, drop, eventsOf, first, message, Missing, type Mutant, recordsOf, sort } from './edit.js';

export const inactiveWebhookMutants: Mutant[] = [
  {
    name: 'an inactive webhook gets an event',
    rule: 'inactive-is-silent',
    plant: (run) => {
      const off = first(recordsOf(run, 'call'), ({ change }) => change?.is_active === false);
      const record = first(recordsOf(run, 'event'), ({ webhook, answers, at }) => webhook === off.target && answers === 200 && at < off.at);
      run.history.push({ ...record, at: off.at + 15_000 });
      sort(run);
    },
  },
  {
    name: 'a replay leaves out an event',
    rule: 'replay-brings',
    plant: (run) => {
      const delivery = first(run.snapshot.deliveries, ({ is_scheduled }) => !is_scheduled);
      delivery.status = 'held';
      drop(run.history, (record) => record.type === 'event' && record.id === delivery.event_id && record.webhook === delivery.webhook_id);
    },
  },
  {
    name: 'a receiver gets acknowledged events for an hour while its webhook is inactive',
    rule: 'inactive-is-silent',
    plant: (run) => {
      const on = first(recordsOf(run, 'call'), ({ change }) => change?.is_active === true);
      const [event] = eventsOf(
        run,
        message(run, ({ status }) => status === 'delivered'),
        'message.queued',
      );
      if (event === undefined || on.target === undefined) throw new Missing();
      const [record] = deliveryOf(run, event, on.target).arrivals;
      if (record === undefined) throw new Missing();
      run.history.push({ ...record, at: on.at - 1_000 });
      sort(run);
    },
  },
];
