/** A file is sent by the command `tidings bulk`. The API or the command is killed before the command has its answer. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { runCommand, startCommand } from '../../clients/run-command.js';
import { phones } from '../../support/bulk-requests.js';
import { type Account, restClient, until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { untilLockWait } from '../../support/lock-table.js';
import { type FaultProxy, startFaultProxy } from '../../support/network/fault-proxy.js';
import { prices } from '../../support/prices.js';
import { balanceOf } from '../../support/rows/messages.js';
import { type Service, startService } from '../../support/service.js';

const count = 60;

describe('a file that is sent while a process is killed', () => {
  let service: Service;
  let proxy: FaultProxy;
  let folder: string;
  let account: Account;
  let env: NodeJS.ProcessEnv;
  let args: string[];
  before(async () => {
    proxy = await startFaultProxy(process.env.TEST_TEMPORAL as string);
    service = await startService({ workerIsHere: true, env: { SANDBOX_DELAY_MS: '20' }, apiEnv: { TEMPORAL_ADDRESS: proxy.address } });
    folder = mkdtempSync(join(tmpdir(), 'tidings-file-'));
  });
  beforeEach(async () => {
    account = await restClient(service.url).signUp();
    env = { TIDINGS_API_KEY: account.apiKey, TIDINGS_URL: service.url };
    const path = join(folder, `${account.workspaceId}.csv`);
    writeFileSync(path, `to\n${phones(count).join('\n')}\n`);
    args = ['bulk', path, '--text', 'Hello', '--yes'];
  });
  afterEach(async () => {
    proxy.mode = 'pass';
    await assertBooks(service.db);
  });
  after(async () => {
    await service.stop();
    await proxy.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ofWorkspace = (condition: string) =>
    rows<{ to: string }>(service.db, `SELECT "to" FROM messages WHERE workspace_id = $1 AND ${condition}`, [account.workspaceId]);
  /** The batch is charged, and the API does not know it. */
  const untilAccepted = () => until(async () => (await ofWorkspace(`status <> 'accepting'`)).length === count, 'the batch is accepted');
  const restartApi = async () => {
    await service.api.kill();
    proxy.mode = 'pass';
    await service.api.start();
  };

  /** Every row was sent once and paid for once, and the same command only gets its answer again. */
  async function assertSentOnce(answer: RegExp): Promise<void> {
    await until(async () => (await ofWorkspace(`status = 'delivered'`)).length === count, 'every message is delivered');
    const again = await runCommand(args, env);
    assert.deepEqual([again.code, again.stderr.match(/1 of 1 requests had been sent before/)?.length], [0, 1], again.stderr);
    assert.match(again.stdout, answer);
    const stored = await ofWorkspace('true');
    assert.deepEqual([stored.length, new Set(stored.map(({ to }) => to)).size], [count, count]);
    assert.equal(await balanceOf(service.db, account.workspaceId), 1_000 * 100 - count * prices.sms);
    const twice = `SELECT 1 FROM sandbox_messages s JOIN messages m ON m.id = s.idempotency_key WHERE m.workspace_id = $1 AND s.calls > 1`;
    assert.deepEqual(await rows(service.db, twice, [account.workspaceId]), []);
  }
  const answerOf = (stdout: string) => new RegExp(`^${/^\S+ {2}60 messages, 60 credits\n$/.exec(stdout)?.[0] ?? 'no answer'}$`);

  it('a file is charged and sent once when the API dies while it stores the rows', async () => {
    const lock = await service.db.transaction();
    let command: ReturnType<typeof startCommand>;
    try {
      await service.db.query("SET LOCAL idle_in_transaction_session_timeout = '2min'", { transaction: lock }); // a start may take long
      await service.db.query('LOCK TABLE messages IN SHARE MODE', { transaction: lock });
      command = startCommand(args, env);
      await untilLockWait(service.db, 'the API stores the first rows');
      await restartApi();
    } finally {
      await lock.rollback();
    }
    assert.equal(await command.ended, 0, command.stderr());
    await assertSentOnce(answerOf(command.stdout()));
  });

  it('a file is charged and sent once when the API dies after it was accepted', async () => {
    proxy.mode = 'stall-answers';
    const command = startCommand(args, env);
    await untilAccepted();
    await restartApi();
    assert.equal(await command.ended, 0, command.stderr());
    assert.doesNotMatch(command.stderr(), /had been sent before/, 'the repeat of its own request is not another run');
    await assertSentOnce(answerOf(command.stdout()));
  });

  it('a file is charged and sent once when the command dies after it was accepted', async () => {
    proxy.mode = 'stall-answers';
    const command = startCommand(args, env);
    await untilAccepted();
    command.process.kill('SIGKILL');
    assert.deepEqual([await command.ended, command.stdout()], [null, '']);
    proxy.mode = 'pass';
    await assertSentOnce(/^\S+ {2}60 messages, 60 credits\n$/);
  });
});
