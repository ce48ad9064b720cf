import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { select } from '../../models/db/database.js';
import { assertBooks } from '../../harness/checks/invariants.js';
import { type RestClient, restClient, until } from '../support/client.js';
import { type Service, startService } from '../support/service.js';

/** The first commit with each of these changes fails: of the API, of its thread for batches, and of both threads of the worker. */
const failures = {
  of_signup: 'INSERT ON workspaces',
  of_bulk: 'INSERT ON batches',
  of_message: 'UPDATE ON messages',
  of_batch: 'UPDATE OF status ON batches',
};

const failOnce = `
  CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    IF nextval(TG_NAME::regclass) = 1 THEN RAISE EXCEPTION 'a commit fails'; END IF;
    RETURN NULL;
  END $$`;

describe('commits that fail', () => {
  let service: Service;
  let client: RestClient;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-logs-'));
    service = await startService({ env: { LOG_LEVEL: 'warn' }, logFile: join(folder, 'processes.log') });
    client = restClient(service.url);
    await select(service.db, failOnce);
    for (const [name, change] of Object.entries(failures)) {
      await select(service.db, `CREATE SEQUENCE ${name}`);
      const trigger = `CREATE CONSTRAINT TRIGGER ${name} AFTER ${change} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW`;
      await select(service.db, `${trigger} EXECUTE FUNCTION fail_once()`);
    }
  });
  after(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('failed commits leave one warning each in the log', async () => {
    const signup = { email: 'ada@example.test', password: 'correct horse battery', company_name: 'Acme' };
    assert.equal((await client.call('POST', '/api/v1/auth/signup', { body: signup })).status, 500);
    const account = await client.signUp();
    const headers = { 'X-API-Key': account.apiKey };
    const bulk = { channel: 'sms', content: { text: 'Hello' }, recipients: ['+15551234567'] };
    assert.equal((await client.call('POST', '/api/v1/messages/bulk', { headers, body: bulk })).status, 500);
    const { body } = await client.call('POST', '/api/v1/messages/bulk', { headers, body: bulk });
    const message = await client.send(account);
    await client.messageUntil(account, message.id, ({ status }) => status === 'delivered');
    const isDone = async () => {
      const { data } = (await client.call('GET', `/api/v1/messages/bulk/${body.data.batch.id}`, { headers })).body;
      return data.batch.counts.delivered === 1;
    };
    await until(isDone, 'the batch is delivered');
    const lines = readFileSync(join(folder, 'processes.log'), 'utf8').trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as { process: string; level: string; msg: string; warning?: string });
    const warnings = entries.filter(({ msg }) => msg === 'a library warned');
    assert.deepEqual(warnings.map(({ process }) => process).toSorted(), ['api', 'api', 'worker', 'worker'], lines.join('\n'));
    for (const { level, warning } of warnings) {
      assert.equal(level, 'warn');
      assert.match(warning ?? '', /^Committing transaction .* failed with error "a commit fails"/);
    }
    await assertBooks(service.db);
  });
});
