import assert from 'node:assert/strict';
import { pino } from 'pino';
import { forgetInTurn } from '../../../activities/watch/forget-in-turn.js';

describe('forgetInTurn', () => {
  const begun: string[] = [];
  beforeEach(() => begun.splice(0));

  const run = (forMs: number) => {
    const begin = (name: string, error?: Error) => () => {
      begun.push(name);
      return error === undefined ? Promise.resolve({ rows: 1 }) : Promise.reject(error);
    };
    const forgetting = { mails: begin('mails', new Error('locked')), events: begin('events'), logins: begin('logins', new Error('away')) };
    return forgetInTurn(forgetting, Date.now() + forMs, pino({ level: 'silent' }));
  };

  it('kinds of old data that cannot be deleted are left to the next run, after all others', async () => {
    await assert.rejects(run(60_000), { message: 'could not delete old mails; logins', nonRetryable: true });
    assert.deepEqual(begun, ['mails', 'events', 'logins']);
  });

  it('old data is left to the next run when the time of this one is over', async () => {
    await assert.rejects(run(0), { message: 'could not delete old mails; events; logins', nonRetryable: true });
    assert.deepEqual(begun, []);
  });
});
