/** Repeated requests with another answer, and messages without a request. */
import { callsOf, drop, first, message, type Mutant, recordsOf, sort } from './edit.js';
import { callOf, delivered, once } from './acceptance.js';

export const answerMutants: Mutant[] = [
  {
    name: 'a carrier is called for a message that nobody sent',
    rule: 'nothing-from-nowhere',
    plant: (run) => {
      const [call] = callsOf(run, message(run, delivered));
      if (call !== undefined) run.history.push({ ...call, handoff: 900_001, token: 'tk0stray' });
      sort(run);
    },
  },
  {
    name: 'a message exists that nobody requested',
    rule: 'nothing-from-nowhere',
    plant: (run) => {
      const row = message(run, (each) => delivered(each) && once(run, each));
      const call = callOf(run, row)[0]?.call;
      drop(run.history, (record) => (record.type === 'call' || record.type === 'answer') && record.call === call);
    },
  },
  {
    name: 'a message goes to another recipient',
    rule: 'nothing-from-nowhere',
    plant: (run) => {
      const row = message(run, delivered);
      for (const call of callsOf(run, row)) call.to = '+15550000000';
    },
  },
  {
    name: 'a repeated request shows another price',
    rule: 'same-answer',
    plant: (run) => {
      const answer = first(recordsOf(run, 'answer'), ({ replayed, data }) => replayed && data?.status_detail !== undefined);
      const isFirst = recordsOf(run, 'answer').some(
        (other) => other.id === answer.id && other.call !== answer.call && other.status === 201,
      );
      const other = isFirst ? answer : first(recordsOf(run, 'answer'), (each) => each.replayed && each.data?.total !== undefined);
      other.data = { ...other.data, credits_used: 99 };
    },
  },
  {
    name: 'a repeated request shows the present status',
    rule: 'same-answer',
    plant: (run) => {
      const answers = recordsOf(run, 'answer').filter(({ status, data }) => status === 201 && data?.status_detail !== undefined);
      const again = first(answers, (answer) => answer.replayed && answers.some(({ id, call }) => id === answer.id && call !== answer.call));
      again.data = { ...again.data, status: 'delivered' };
    },
  },
  {
    name: 'the answer to a repeated request is not marked',
    rule: 'repeat-is-replay',
    plant: (run) => {
      const answers = recordsOf(run, 'answer').filter(({ status }) => status === 201);
      first(answers, (answer) => answer.replayed && answers.some(({ id, call }) => id === answer.id && call !== answer.call)).replayed =
        false;
    },
  },
  {
    name: 'an accepted key is refused as the key of another request',
    rule: 'repeat-is-replay',
    plant: (run) => {
      const answers = recordsOf(run, 'answer').filter(({ status }) => status === 201);
      const again = first(answers, (answer) => answer.replayed && answers.some(({ id, call }) => id === answer.id && call !== answer.call));
      Object.assign(again, { status: 422, id: null, data: null, replayed: false });
    },
  },
];
