import assert from 'node:assert/strict';
import { nowhere } from '../../support/carriers/counterpart.js';
import { sendgridEnv, signEvents } from '../../support/carriers/sendgrid.js';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';

describe('a signed callback with values that PostgreSQL cannot store', () => {
  const app = useApi({ env: () => sendgridEnv(nowhere) });
  const delivered = (id: string, timestamp = 1_767_322_800) => ({
    event: 'delivered',
    email: 'ada@example.org',
    sg_message_id: id,
    timestamp,
  });
  const stored = () =>
    rows<{ id: string; at: Date }>(app.deps.db, 'SELECT provider_message_id AS id, occurred_at AS at FROM delivery_reports ORDER BY id');
  const post = (events: object[]) => {
    const body = JSON.stringify(events);
    return app.call('POST', '/callbacks/sendgrid', { body, headers: signEvents(body) });
  };

  it('200 for a callback with a NUL or a lone surrogate in an id, and its other reports are stored', async () => {
    const { status } = await post([
      delivered('good'),
      delivered('a\0'),
      delivered('\ud800'),
      { ...delivered('x'), event: 'spamreport', email: 'a\0@b.example' },
    ]);
    assert.equal(status, 200);
    assert.deepEqual(
      (await stored()).map(({ id }) => id),
      ['good'],
    );
  });
  it('200 for a report with a time before the year 1 or after 9999, which is stored as of now', async () => {
    const since = Date.now();
    const times = [-62_135_596_801, -62_200_000_000, 253_402_300_800_000];
    assert.equal((await post(times.map((time, index) => delivered(`t${index}`, time)))).status, 200);
    const found = (await stored()).filter(({ id }) => id.startsWith('t'));
    assert.equal(found.length, times.length);
    assert.ok(found.every(({ at }) => at.getTime() >= since));
  });
});
