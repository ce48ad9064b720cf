import assert from 'node:assert/strict';
import { select } from '../../../../models/db/database.js';
import { optIn, optOut } from '../../../support/rows/opt-requests.js';
import { suppress } from '../../../../models/operations/contacts/suppress.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { buildWorkspace } from '../../../support/rows/factories.js';
import { buildSent } from '../../../support/rows/messages.js';

const lock = 'SELECT 1 AS one FROM suppressions_by_recipients WHERE workspace_id = $1 FOR UPDATE NOWAIT';

const many = `
  INSERT INTO suppressions_by_recipients (id, workspace_id, channel, recipient, reason, source)
  SELECT gen_random_uuid(), w.id, 'sms', '+1555' || n, 'opt_out', 'inbound' FROM workspaces w, generate_series(1, 1000) n`;

describe('STOP and START of a recipient of several workspaces', () => {
  const test = useDatabase();
  const sender = { provider: 'sandbox', channel: 'sms', recipient: '+15551234567' } as const;
  const stop = { ...sender, reason: 'opt_out', source: 'inbound', message_id: null, provider_message_id: null } as const;
  let one: string;
  let other: string;
  before(async () => {
    for (let count = 0; count < 5; count += 1) await buildWorkspace(test.db);
    await rows(test.db, many);
    await rows(test.db, 'ANALYZE suppressions_by_recipients'); // a plan for a large table may read the entries as the table stores them
  });
  beforeEach(async () => {
    const ids = [(await buildWorkspace(test.db)).id, (await buildWorkspace(test.db)).id];
    [one = '', other = ''] = ids.toSorted();
    for (const id of ids) await buildSent(test.db, id, { to: sender.recipient });
    const entry = { channel: sender.channel, recipient: sender.recipient, reason: stop.reason, source: stop.source };
    for (const workspace_id of [other, one]) await suppress(test.db, [{ workspace_id, ...entry }]); // so the table stores them
  });

  for (const [name, record] of [
    ['STOP', () => optOut(test.db, stop)],
    ['START', () => optIn(test.db, sender)],
  ] as const) {
    it(`${name} locks the entries in the order of their workspaces`, async () => {
      const held = await test.db.transaction();
      await select(test.db, lock, [one], held);
      const recording = record();
      await untilLockWait(test.db, 'it waits for the first entry');
      const [locked] = await Promise.allSettled([select(test.db, lock, [other], held)]);
      await held.rollback();
      await recording;
      assert.equal(locked.status, 'fulfilled', 'the other entry is not locked yet');
    });
  }
});
