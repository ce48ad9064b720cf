/** Suppressed recipients who get messages, and erased ones of whom something is left. */
import { addCall, eventsOf, first, type Draft, type Mutant, recordsOf } from './edit.js';

const callTo = (run: Draft, operation: string) => first(recordsOf(run, 'call'), (call) => call.operation === operation);
const answerTo = (run: Draft, number: number) => first(recordsOf(run, 'answer'), ({ call }) => call === number);
const erasedOf = (run: Draft) => first(run.snapshot.messages, ({ erased_at }) => erased_at !== null);

export const recipientMutants: Mutant[] = [
  {
    name: 'a carrier is called for a recipient who was suppressed before',
    rule: 'suppression-holds',
    plant: (run) => {
      const { to, call } = callTo(run, 'suppress');
      const row = first(run.snapshot.messages, (each) => each.to === to);
      addCall(run, row, answerTo(run, call).at + 8_000, ['received', 'busy', 'answered']);
    },
  },
  {
    name: 'a message is not erased',
    rule: 'erased-is-gone',
    plant: (run) => {
      const row = erasedOf(run);
      const { items } = first(recordsOf(run, 'call'), ({ call }) => call === sentBy(run, row.id));
      Object.assign(row, { ...items?.[0], erased_at: null });
    },
  },
  {
    name: 'an erased message keeps its text',
    rule: 'erased-is-gone',
    plant: (run) => Object.assign(erasedOf(run), { length: 20 }),
  },
  {
    name: 'an event of an erased message keeps its body',
    rule: 'event-is-true',
    plant: (run) => {
      const [event] = eventsOf(run, erasedOf(run));
      const arrival = first(recordsOf(run, 'event'), ({ id }) => id === event?.id);
      if (event !== undefined) event.body = arrival.body;
    },
  },
];

/** The call that was answered with this message. */
const sentBy = (run: Draft, id: string) => first(recordsOf(run, 'answer'), (answer) => answer.id === id && answer.status === 201).call;
