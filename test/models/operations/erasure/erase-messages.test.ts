import assert from 'node:assert/strict';
import { select } from '../../../../models/db/database.js';
import { eraseMessages } from '../../../../models/operations/erasure/erase-messages.js';
import { erasureKey } from '../../../../models/operations/erasure/erasure-key.js';
import { eventOfStatus, eventTypes, testEventType } from '../../../../models/rules/webhooks/events.js';
import { messageColumns } from '../../../../models/tables/message.js';
import { testConfig } from '../../../support/config.js';
import { findInDatabase } from '../../../support/rows/find-anywhere.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { buildSent, messageOf, reportOf } from '../../../support/rows/messages.js';
import { applyReports, recordReports } from '../../../support/rows/reports.js';

/** What is left of a message after an erasure: ids, status, times and price, and what the carrier calls it. */
const kept = `
  id workspace_id group_id batch_id channel status status_detail cost credits_used segments encoding provider provider_message_id
  provider_error_code error_code error_message scheduled_at expires_at created_at sent_at delivered_at failed_at read_at erased_at`
  .trim()
  .split(/\s+/);
/** Event types without a message. No erasure finds their events, so their bodies must not contain personal data. */
const impersonal: readonly string[] = [testEventType];
const mark = 'nobody-else-says-this';
/** The mark as a value of a column, by its type in PostgreSQL. */
const marks: Record<string, string> = { text: mark, json: JSON.stringify({ mark }), bytea: mark };

describe('eraseMessages', () => {
  const test = workspaceForEach();
  const personal = Object.entries(messageColumns).filter(([, { isPersonal }]) => isPersonal);

  it('every column of a message has a decision: personal, or kept', () => {
    const decided = [...kept, ...personal.map(([name]) => name)];
    assert.deepEqual(decided.toSorted(), Object.keys(messageColumns).toSorted(), 'declare a new column `personal`, or list it as kept');
  });

  it('every event type has a decision: of a message, or without personal data', () => {
    const ofMessages = Object.values(eventOfStatus).filter((type) => type !== null);
    const decided = [...ofMessages, ...impersonal].toSorted();
    assert.deepEqual(decided, [...eventTypes, testEventType].toSorted(), 'an erasure finds events by their message_id only');
  });

  it('an erasure removes the value of each personal column of a message, and of no other', async () => {
    const message = await buildSent(test.db, test.workspaceId);
    await recordReports(test.db, [reportOf(message, 'delivered')]);
    await applyReports(test.db, message.group_id);
    const set = personal.map(([name, { type }], index) => `"${name}" = $${index + 2}::text::${type}`);
    const values = personal.map(([name, { type }]) => marks[type] ?? assert.fail(`${name}: no value of the type ${type}`));
    await select(test.db, `UPDATE messages SET ${set.join(', ')} WHERE id = $1`, [message.id, ...values]);
    assert.equal((await findInDatabase(test.db, mark)).length, personal.length - 1, 'the search does not look into bytes as text');
    const before = await messageOf(test.db, message.id);
    const key = await erasureKey(test.db, testConfig().secretKeys);
    assert.deepEqual(await eraseMessages(test.db, key, [message.id], null), [message.id]);
    assert.deepEqual(await findInDatabase(test.db, mark), []);
    const { erased_at, ...after } = await messageOf(test.db, message.id);
    assert.ok(erased_at);
    const stays = (row: object) => Object.fromEntries(Object.entries(row).filter(([name]) => kept.includes(name) && name !== 'erased_at'));
    assert.deepEqual(stays(after), stays(before));
    assert.equal(after.request_digest, null);
  });
});
