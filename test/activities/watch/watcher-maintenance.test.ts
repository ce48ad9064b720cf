import assert from 'node:assert/strict';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { stepMs } from '../../../activities/watch/step-times.js';
import { maintenanceActivities } from '../../../activities/watch/watcher-maintenance.js';
import { watcherEveryMs } from '../../../activities/worker/prepare-temporal.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { useDatabase } from '../../support/for-each.js';
import { buildQueued, buildWorkspace } from '../../support/rows/factories.js';

describe('maintenance by the watcher', () => {
  const test = useDatabase({ forEachTest: true, checksBooks: true });
  let workspaceId: string;
  let lines: { level: number; msg: string; kind?: string; text?: string; balance?: number; ledger?: number; difference?: string }[];
  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
    lines = [];
  });

  const activities = (env: NodeJS.ProcessEnv = {}) => {
    const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    return maintenanceActivities({ db: test.db, config: testConfig(env), logger });
  };
  const told = () => lines.map(({ level, msg, kind }) => [level, kind === undefined ? msg : `${msg}: ${kind}`]);

  it('workspaces with a low balance get one mail, if the setting asks for it', async () => {
    await buildQueued(test.db, workspaceId);
    const mails = () => rows(test.db, 'SELECT workspace_id, kind FROM mails');
    await activities().mailLowBalances();
    assert.deepEqual(await mails(), []);
    await activities({ LOW_BALANCE_CREDITS: '100' }).mailLowBalances();
    await activities({ LOW_BALANCE_CREDITS: '100' }).mailLowBalances();
    assert.deepEqual(await mails(), [{ workspace_id: workspaceId, kind: 'low_balance' }]);
  });

  it('audit events that are older than AUDIT_DAYS are deleted', async () => {
    const types = async () => (await rows<{ type: string }>(test.db, 'SELECT type FROM audit_events ORDER BY at')).map(({ type }) => type);
    await rows(
      test.db,
      `INSERT INTO audit_events (id, workspace_id, type, at, actor_type)
       SELECT gen_random_uuid(), $1::uuid, 'auth.login', now() - days * interval '1 day', 'user' FROM unnest(ARRAY[400, 300, 20]) AS days
       UNION ALL SELECT gen_random_uuid(), $1::uuid, 'auth.logout', now() - interval '500 days', 'user' FROM generate_series(1, 1200)`,
      [workspaceId],
    );
    await activities({ AUDIT_DAYS: '0' }).forgetOld();
    assert.equal((await types()).length, 1_203);
    await activities().forgetOld();
    assert.deepEqual(await types(), ['auth.login', 'auth.login'], 'a year by default');
    await activities({ AUDIT_DAYS: '30' }).forgetOld();
    assert.equal((await types()).length, 1);
  });

  it('reports that match no message are deleted 33 days after their arrival', async () => {
    const ids = [34, 32].map((days) => uuidv7({ msecs: Date.now() - days * 86_400_000 }));
    await rows(
      test.db,
      `INSERT INTO delivery_reports (id, provider, provider_message_id, status, occurred_at, raw)
       SELECT id, 'twilio', 'of ' || id, 'delivered', now(), '+15551234567' FROM unnest($1::uuid[]) AS id`,
      [ids],
    );
    await activities().forgetOld();
    assert.deepEqual(await rows(test.db, 'SELECT id FROM delivery_reports'), [{ id: ids[1] }]);
    assert.deepEqual(told(), [[30, 'deleted old data: reports that match no message']]);
  });

  it('suppressions are deleted a day after they have expired', async () => {
    await rows(
      test.db,
      `INSERT INTO suppressions (id, workspace_id, channel, recipient, reason, source, expires_at)
       SELECT gen_random_uuid(), $1, 'sms', COALESCE('expired ' || hours, 'never'), 'bounce', 'report', now() - hours * interval '1 hour'
       FROM unnest(ARRAY[25, 23, -1, NULL]) AS hours`,
      [workspaceId],
    );
    await activities().forgetOld();
    const left = await rows<{ recipient: string }>(test.db, 'SELECT recipient FROM suppressions ORDER BY expires_at');
    assert.deepEqual(
      left.map(({ recipient }) => recipient),
      ['expired 23', 'expired -1', 'never'],
    );
    assert.deepEqual(told(), [[30, 'deleted old data: suppressions']]);
  });

  it('an error is logged in every run while a balance differs from its ledger', async () => {
    await activities().checkLedger();
    assert.deepEqual(told(), []);
    await rows(test.db, 'UPDATE workspaces SET balance = balance + 7');
    await activities().checkLedger();
    await activities().checkLedger();
    const error = [50, 'balance differs from ledger'];
    assert.deepEqual(told(), [error, error]);
    const { balance = 0, ledger = 0, difference } = lines[0] ?? {};
    assert.deepEqual([Math.round((balance - ledger) * 1000), difference], [7, '0.007 credits too high']);
    await rows(test.db, 'UPDATE workspaces SET balance = balance - 7');
    await activities().checkLedger();
    assert.equal(lines.length, 2);
  });

  it('an error is logged for every difference that the audit finds', async () => {
    await rows(test.db, 'UPDATE workspaces SET message_count = message_count + 1');
    await activities().auditBooks();
    assert.deepEqual(told(), [[50, 'audit found a difference']]);
    assert.match(lines[0]?.text ?? '', /^message count of workspace .*: message count 1, shown 0$/);
    await activities().auditBooks();
    assert.equal(lines.length, 1, 'the audit of the day is done');
    await rows(test.db, 'UPDATE workspaces SET message_count = message_count - 1');
  });

  it('mail files are deleted after a day, also if no other mail is written', async () => {
    const config = testConfig();
    const folder = join(config.dataDir, 'mail');
    const env = { DATA_DIR: config.dataDir };
    await activities(env).forgetOld();
    assert.deepEqual(told(), [], 'there is no folder yet');
    await mkdir(folder);
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    for (const [name, hours] of [
      ['old.eml', 25],
      ['new.eml', 23],
      ['other.txt', 25],
    ] as const) {
      await writeFile(join(folder, name), 'x');
      await utimes(join(folder, name), hoursAgo(hours), hoursAgo(hours));
    }
    await activities(env).forgetOld();
    assert.deepEqual((await readdir(folder)).toSorted(), ['new.eml', 'other.txt']);
    assert.deepEqual(told(), [[30, 'deleted old data: mail files']]);
  });

  it('a step of the deletion that fails does not keep the others from running', async () => {
    const config = testConfig();
    const file = join(config.dataDir, 'mail', 'old.eml');
    await mkdir(join(config.dataDir, 'mail'));
    await writeFile(file, 'x');
    const before = new Date(Date.now() - 25 * 3_600_000);
    await utimes(file, before, before);
    await rows(
      test.db,
      `INSERT INTO delivery_reports (id, provider, provider_message_id, status, occurred_at, raw) VALUES ($1, 'twilio', 'p', 'delivered', now(), '')`,
      [uuidv7({ msecs: Date.now() - 34 * 86_400_000 })],
    );
    await rows(test.db, 'ALTER TABLE erasure_places ADD CONSTRAINT broken CHECK (false) NOT VALID');
    try {
      const failure = { message: 'could not delete old reports that match no message', nonRetryable: true };
      await assert.rejects(activities({ DATA_DIR: config.dataDir }).forgetOld(), failure);
      assert.deepEqual(told(), [
        [50, 'could not delete old data: reports that match no message'],
        [30, 'deleted old data: mail files'],
      ]);
    } finally {
      await rows(test.db, 'ALTER TABLE erasure_places DROP CONSTRAINT broken');
    }
  });

  it('the steps that run one after the other leave two seconds until the next run for their last pages', () => {
    const sumMs = Object.values(stepMs).reduce((sum, ms) => sum + ms);
    assert.ok(sumMs <= watcherEveryMs - 2_000, `${sumMs} ms of ${watcherEveryMs}`);
  });

  it('a run of the watcher is recorded, and failed steps are logged as an error', async () => {
    await activities().noteRound([]);
    assert.deepEqual(told(), []);
    await activities().noteRound(['repairMails']);
    assert.deepEqual(told(), [[50, 'watcher steps failed']]);
    const [run] = await rows<{ failing: string[] }>(test.db, 'SELECT failing FROM watcher');
    assert.deepEqual(run?.failing, ['repairMails']);
  });
});
