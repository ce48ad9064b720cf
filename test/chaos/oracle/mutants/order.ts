/** Events that arrive in another order than they happened. */
import { deliveryOf, eventsOf, type Draft, Missing, type Mutant, type RecordOf, recordsOf, sort } from './edit.js';
import type { WebhookFact } from '../snapshot.js';
import { webhook } from './event-delivery.js';

/** Two events of one message at one webhook, with the arrivals of both. */
function pair(run: Draft, at: WebhookFact, fits: (earlier: RecordOf<'event'>[], later: RecordOf<'event'>[]) => boolean) {
  for (const row of run.snapshot.messages) {
    const [queued] = eventsOf(run, row, 'message.queued');
    const [sent] = eventsOf(run, row, 'message.sent');
    if (queued === undefined || sent === undefined || row.workspace_id !== at.workspace_id) continue;
    const earlier = deliveryOf(run, queued, at.id);
    const later = deliveryOf(run, sent, at.id);
    const isPlain = earlier.delivery.is_scheduled && later.delivery.is_scheduled && later.delivery.status === 'succeeded';
    if (isPlain && earlier.arrivals.length > 0 && fits(earlier.arrivals, later.arrivals))
      return { earlier: earlier.arrivals, later: later.arrivals };
  }
  throw new Missing();
}

export const orderMutants: Mutant[] = [
  {
    name: 'sent arrives before queued',
    rule: 'events-in-order',
    plant: (run) => {
      const { earlier, later } = pair(run, webhook(run, false), (one, other) => one.length === 1 && other.length === 1);
      for (const record of later) record.at = (earlier[0]?.at ?? 0) - 0.5;
      sort(run);
    },
  },
  {
    name: 'an ordered webhook gets an event while the one before waits for its second attempt',
    rule: 'ordered-webhook',
    plant: (run) => {
      const { earlier, later } = pair(run, webhook(run, true), (one, other) => one.length === 2 && other.length === 1);
      for (const record of later) record.at = (earlier[0]?.at ?? 0) + 1;
      sort(run);
    },
  },
  {
    name: 'an ordered webhook gets the event of a message before that of an earlier one',
    rule: 'ordered-webhook',
    plant: (run) => {
      const { id } = webhook(run, true);
      const queued = recordsOf(run, 'event').filter((record) => record.webhook === id && record.event === 'message.queued');
      // The first event arrives last, two minutes after it was written.
      const [early] = queued.filter(
        (record) => recordsOf(run, 'event').filter((each) => each.id === record.id && each.webhook === id).length === 1,
      );
      const lastAt = Math.max(...recordsOf(run, 'event').map((record) => record.at));
      if (early === undefined) throw new Missing();
      early.at = lastAt + 1;
      sort(run);
    },
  },
];
