/** Reports that come before the answer to the hand-off, without our id: until then nobody knows their message, nor its workspace. */
import assert from 'node:assert/strict';
import { applyReports } from '../../../models/operations/reports/apply-reports.js';
import { erasureKey } from '../../../models/operations/erasure/erasure-key.js';
import { recordHandoffs } from '../../../models/operations/handoff/record-handoffs.js';
import { messageIdFor, metaEnv, notice } from '../../support/carriers/meta.js';
import { nowhere } from '../../support/carriers/counterpart.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { runErasures } from '../../support/rows/erasures.js';
import { buildQueued } from '../../support/rows/factories.js';
import { findInDatabase } from '../../support/rows/find-anywhere.js';
import { acceptedAs, claimAll, routedTo, statusOf } from '../../support/rows/messages.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const digits = '15558123458';
const to = `+${digits}`;

describe('an erasure beside a WhatsApp report whose message is not known yet', () => {
  const app = useApi({ env: metaEnv(nowhere), checksBooks: true, forEachTest: true });
  let account: Account;
  let key: Buffer;
  beforeEach(async () => {
    account = await app.account();
    key = await erasureKey(app.deps.db, app.deps.config.secretKeys);
  });

  /** A message whose hand-off is in progress. */
  const claim = async () => {
    const { id, group_id: groupId } = await buildQueued(app.deps.db, account.workspaceId, { to, channel: 'whatsapp' });
    const [claimed] = await claimAll(app.deps.db, groupId, routedTo({ whatsapp: 'meta' }));
    assert.ok(claimed);
    const name = messageIdFor(to);
    const answer = { ...acceptedAs(claimed, name), provider: 'meta' };
    return { id, name, groupId, record: () => recordHandoffs(app.deps.db, [answer], key) };
  };
  type Claimed = Awaited<ReturnType<typeof claim>>;
  const tell = async ({ name }: Claimed, status: string) => {
    const { body, signature } = notice({ statuses: [{ id: name, status, timestamp: '1760000000', recipient_id: digits }] });
    const answer = await app.call('POST', '/callbacks/meta', { body, headers: { 'X-Hub-Signature-256': signature } });
    assert.equal(answer.status, 200);
  };
  const ask = async (by: Account) => {
    const { body } = await app.call('POST', '/api/v1/erasures', { key: by.key, body: { to } });
    const path = `/api/v1/erasures/${body.data.erasure.id}`;
    return async () => (await app.call('GET', path, { key: by.key })).body.data.erasure.status as string;
  };
  const run = () => runErasures(app.deps.db, key);
  const complete = (status: () => Promise<string>) =>
    until(async () => {
      await rows(app.deps.db, 'UPDATE erasure_queue SET look_at = now()');
      await run();
      return (await status()) === 'completed';
    }, 'it is completed');
  const found = () => findInDatabase(app.deps.db, digits);

  it('an erasure keeps an early report of another workspace so that it is found, and repeated reports change nothing', async () => {
    const message = await claim();
    await tell(message, 'delivered');
    await complete(await ask(await app.account()));
    await message.record();
    await applyReports(app.deps.db, message.groupId, { key });
    assert.equal(await statusOf(app.deps.db, message.id), 'delivered/delivered');
    await tell(message, 'delivered');
    await tell(message, 'read');
    await applyReports(app.deps.db, message.groupId, { key });
    assert.equal(await statusOf(app.deps.db, message.id), 'read/read');
    await complete(await ask(account));
    assert.deepEqual(await found(), []);
  });

  it('an erasure waits for the message of an early report of its workspace, and then erases both', async () => {
    const message = await claim();
    await tell(message, 'delivered');
    const status = await ask(account);
    await run();
    assert.equal(await status(), 'running');
    await message.record();
    await applyReports(app.deps.db, message.groupId, { key });
    assert.equal(await statusOf(app.deps.db, message.id), 'delivered/delivered');
    await complete(status);
    assert.deepEqual(await found(), []);
  });

  it('an erasure erases an early report that came after the request and whose message never becomes known', async () => {
    const message = await claim();
    const status = await ask(account);
    await run();
    await tell(message, 'sent');
    await rows(app.deps.db, `UPDATE messages SET status = 'failed', status_detail = 'undeliverable', failed_at = now() WHERE id = $1`, [
      message.id,
    ]);
    await complete(status);
    assert.deepEqual(await found(), []);
  });
});
