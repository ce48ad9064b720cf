import assert from 'node:assert/strict';
import { webhookNamesCheck } from '../../../activities/doctor/checks/addresses.js';
import { testConfig } from '../../support/config.js';
import { useDatabase } from '../../support/for-each.js';
import { buildWebhook, buildWorkspace } from '../../support/rows/factories.js';

describe('the doctor and the host names of webhooks', () => {
  const test = useDatabase();
  let workspaceId: string;
  before(async () => {
    ({ id: workspaceId } = await buildWorkspace(test.db));
  });

  /** No server answers there, so a look-up fails. */
  const config = testConfig({ WEBHOOK_DNS_SERVERS: '127.0.0.1:1' });
  const found = async () => {
    const findings = await webhookNamesCheck.run({ db: test.db, config, signal: AbortSignal.timeout(10_000) });
    return findings.map(({ state, detail }) => [state, detail]);
  };

  it('the doctor looks up the names of webhooks, and skips their addresses', async () => {
    assert.deepEqual(await found(), [['skipped', 'there are no webhooks']]);
    for (const host of ['192.0.2.1', '[2001:db8::1]']) await buildWebhook(workspaceId, `https://${host}/hook`);
    assert.deepEqual(await found(), [['skipped', 'all webhook URLs contain IP addresses']]);
    await buildWebhook(workspaceId, 'https://localhost/hook');
    assert.deepEqual(await found(), [['ok', 'resolved 1 name']]);
  });
});
