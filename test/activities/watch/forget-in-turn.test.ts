import assert from 'node:assert/strict';
import { pino } from 'pino';
import { forgetInTurn } from '../../../activities/watch/forget-in-turn.js';

describe('forgetInTurn', () => {
  const begun: string[] = [];
  let lines: { level: number; msg: string; kind?: string; left?: string[] }[] = [];
  beforeEach(() => {
    begun.splice(0);
    lines = [];
  });

  const run = (forMs: number) => {
    const begin = (name: string, error?: Error) => () => {
      begun.push(name);
      return error === undefined ? Promise.resolve({ rows: 1 }) : Promise.reject(error);
    };
    const forgetting = { mails: begin('mails', new Error('locked')), events: begin('events'), logins: begin('logins', new Error('away')) };
    return forgetInTurn(forgetting, Date.now() + forMs, pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) }));
  };

  it('kinds of old data that cannot be deleted are left to the next run, after all others', async () => {
    await assert.rejects(run(60_000), { message: 'could not delete old mails; logins', nonRetryable: true });
    assert.deepEqual(begun, ['mails', 'events', 'logins']);
    assert.deepEqual(
      lines.map(({ level, msg, kind }) => [level, msg, kind]),
      [
        [50, 'could not delete old data', 'mails'],
        [30, 'deleted old data', 'events'],
        [50, 'could not delete old data', 'logins'],
      ],
    );
  });

  it('old data is left to the next run with one warning when the time of this one is over', async () => {
    await assert.rejects(run(0), { message: 'could not delete old mails; events; logins', nonRetryable: true });
    assert.deepEqual(begun, []);
    assert.deepEqual(
      lines.map(({ level, msg, left }) => [level, msg, left]),
      [[40, 'the deletion of old data continues in the next run', ['mails', 'events', 'logins']]],
    );
  });
});
