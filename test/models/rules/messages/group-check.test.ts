import { forEachChannel } from '../../../../models/channels.js';
import assert from 'node:assert/strict';
import { decideCheck, type GroupState } from '../../../../models/rules/messages/group-check.js';

const nothing: GroupState = {
  accepting: 0,
  due: 0,
  dueInMs: null,
  awaiting: 0,
  awaitedMs: 0,
  channel: 'sms',
  batchStatus: null,
  pausedExpiryInMs: null,
  triedLately: false,
};
const timeouts = { ...forEachChannel(() => 0), sms: 300_000, whatsapp: 200_000, email: 100_000 };
const minutes = (count: number) => count * 60_000;

describe('decideCheck', () => {
  for (const [what, state, action, checkInMs] of [
    ['nothing is open', {}, 'close', undefined],
    ['nobody decided on it', { accepting: 1 }, 'fence', undefined],
    ['its batch is not decided', { accepting: 1, batchStatus: 'accepting' }, 'wait', minutes(2)],
    ['messages are due', { due: 1 }, 'drive', minutes(2)],
    ['messages are due and others await reports', { due: 1, awaiting: 3, awaitedMs: minutes(4) }, 'drive', minutes(2)],
    ['a hand-off was tried lately', { due: 1, triedLately: true }, 'wait', minutes(2)],
    ['its batch is paused', { due: 1, batchStatus: 'paused' }, 'wait', minutes(10)],
    ['its batch is paused and a message expires soon', { due: 1, batchStatus: 'paused', pausedExpiryInMs: 1_000 }, 'wait', 11_000],
    [
      'its batch is paused and a message expires later',
      { due: 1, batchStatus: 'paused', pausedExpiryInMs: minutes(60) },
      'wait',
      minutes(10),
    ],
    ['its batch is paused and a message has expired', { due: 1, batchStatus: 'paused', pausedExpiryInMs: 0 }, 'drive', minutes(2)],
    ['its batch is paused and a report is awaited', { due: 1, batchStatus: 'paused', awaiting: 1, awaitedMs: 100_000 }, 'wait', 260_000],
    ['its batch is cancelled and something is left', { due: 1, batchStatus: 'cancelled' }, 'drive', minutes(2)],
    ['it is scheduled', { dueInMs: minutes(5) }, 'wait', minutes(5) + 10_000],
    ['it awaits reports', { awaiting: 1, awaitedMs: 100_000 }, 'wait', 260_000],
    ['it awaits reports of another channel', { awaiting: 1, awaitedMs: 100_000, channel: 'email' }, 'wait', 60_000],
    ['the time for its reports is over, but not for its workflow', { awaiting: 1, awaitedMs: 330_000 }, 'wait', 30_000],
    ['one is scheduled and another awaits its report', { dueInMs: 1_000, awaiting: 1 }, 'wait', 11_000],
  ] as const)
    it(`the verdict on a group is "${action}" when ${what}`, () => {
      const verdict = decideCheck({ ...nothing, ...state }, timeouts);
      assert.deepEqual(verdict, { action, givesUp: false, checkInMs: checkInMs ?? verdict.checkInMs });
    });

  for (const [what, state, action] of [
    ['nothing else is open', {}, 'wait'],
    ['its batch is paused', { batchStatus: 'paused' }, 'wait'],
    ['messages of its paused batch are queued', { batchStatus: 'paused', due: 1 }, 'wait'],
    ['messages are due', { due: 1 }, 'drive'],
    ['a hand-off was tried lately', { due: 1, triedLately: true }, 'wait'],
    ['another is scheduled', { dueInMs: minutes(60) }, 'wait'],
  ] as const)
    it(`the verdict on a group gives up, and is "${action}", when the time for reports is over and ${what}`, () => {
      const verdict = decideCheck({ ...nothing, awaiting: 1, awaitedMs: 360_000, ...state }, timeouts);
      assert.deepEqual(verdict, { action, givesUp: true, checkInMs: minutes(2) });
    });
});
