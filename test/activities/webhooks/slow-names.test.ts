import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { webhookPoster } from '../../../activities/webhooks/post-webhook.js';
import { connect, select } from '../../../models/db/database.js';
import { testConfig } from '../../support/config.js';
import { type DnsServer, startDnsServer } from '../../support/network/dns-server.js';
import { type Receiver, startReceiver, trustTestAuthority } from '../../support/network/receiver.js';

const promptMs = 4_000;

describe('webhooks on names that no server answers', () => {
  let dns: DnsServer;
  let receiver: Receiver;
  before(async () => {
    await trustTestAuthority();
    dns = await startDnsServer({ 'hook.test': '127.0.0.1' });
    receiver = await startReceiver();
  });
  after(async () => {
    await receiver.close();
    await dns.close();
  });

  it('names that no server answers delay no other workspace and no connection to PostgreSQL', async () => {
    const poster = webhookPoster(testConfig({ WEBHOOK_DNS_SERVERS: dns.address }));
    const hanging = Array.from({ length: 60 }, (_, index) =>
      poster.post(`https://slow${index}.test:${receiver.port}/`, {}, '{}', 'hostile'),
    );
    const startedAt = performance.now();
    const { error } = await poster.post(`https://hook.test:${receiver.port}/`, {}, '{}', 'other');
    assert.ok(performance.now() - startedAt < promptMs);
    assert.equal(error, 'tls', 'it was reached: its certificate is of another name');
    const byName = new URL(process.env.TEST_DATABASE_SERVER ?? '');
    byName.hostname = 'localhost';
    const connectedAt = performance.now();
    const db = connect(`${byName.href}/postgres`, 2);
    await select(db, 'SELECT 1 AS one');
    assert.ok(performance.now() - connectedAt < promptMs);
    await db.close();
    const errors = new Set((await Promise.all(hanging)).map((result) => result.error));
    assert.deepEqual(
      [...errors].filter((one) => one !== 'dns' && one !== 'timeout'),
      [],
    );
    poster.close();
  });
});
