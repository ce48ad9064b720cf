import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { ScheduleClient } from '@temporalio/client';
import { type Check, type Finding, runChecks } from '../../../activities/doctor/check.js';
import { allChecks } from '../../../activities/doctor/checks/index.js';
import { workersCheck } from '../../../activities/doctor/checks/temporal.js';
import { until } from '../../support/client.js';
import { reply, startCounterpart } from '../../support/carriers/counterpart.js';
import { everyCarrierEnv } from '../../support/carriers/every-carrier.js';
import { startTemporalFront } from '../../support/network/temporal-front.js';
import { freePort } from '../../support/network/free-port.js';
import { loadConfig } from '../../../models/settings/config.js';
import { settingsNeeded } from '../../../models/settings/provider-account.js';
import { workflowIds } from '../../../workflows/contract.js';
import { rows } from '../../support/database.js';
import { asProgram } from '../../support/servers.js';
import { type Service, startService } from '../../support/service.js';
import { testEnv } from '../../support/config.js';

const program = resolve(import.meta.dirname, '../../../activities/doctor/doctor.js');

/** Runs the command with these settings only. */
function doctor(env: NodeJS.ProcessEnv, ...args: string[]): Promise<{ code: number; out: string }> {
  return new Promise((done) => {
    execFile(process.execPath, [program, ...args], { env: { PATH: process.env.PATH, ...env }, timeout: 60_000 }, (error, out) => {
      done({ code: error === null ? 0 : Number(error.code), out });
    });
  });
}

async function findings(env: NodeJS.ProcessEnv): Promise<{ code: number; seen: Map<string, Finding> }> {
  const { code, out } = await doctor(env, '--json');
  const { findings: all } = JSON.parse(out) as { findings: Finding[] };
  return { code, seen: bySubject(all) };
}

const bySubject = (all: readonly Finding[]) => new Map(all.map((finding) => [finding.subject, finding]));

describe('npm run doctor', () => {
  let service: Service;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    service = await startService({ apiIsHere: true });
    const { temporal, config } = service;
    env = testEnv({
      DATABASE_URL: asProgram(service.ownerUrl),
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: temporal.namespace,
      PORT: String(config.port),
      PUBLIC_URL: service.url,
    });
  });
  after(() => service.stop());

  /** What the same checks find in this process, which takes a tenth of the CPU of a process of their own. */
  const found = async (settings: NodeJS.ProcessEnv, checks: readonly Check[] = allChecks) =>
    bySubject(await runChecks(checks, { config: loadConfig(settings), db: service.db }));

  it('the doctor finds nothing wrong with a service that runs', async () => {
    await until(async () => (await found(env, [workersCheck])).get('watcher')?.state === 'ok', 'the watcher has run');
    const { code, out } = await doctor(env);
    assert.deepEqual([code, out.match(/^✗.*/gm)], [0, null], out);
    assert.match(out, /^✓ PostgreSQL privileges .*may not change tables/m);
    assert.match(out, /^✓ Temporal search attributes +WorkspaceId, Channel/m);
  });

  it('the doctor names the command that resumes a paused watcher, with the namespace', async () => {
    const { connection, namespace } = service.temporal;
    const watcher = new ScheduleClient({ connection, namespace }).getHandle(workflowIds.watcher);
    await watcher.pause();
    const seen = await found(env);
    await watcher.unpause();
    const { state, fix } = seen.get('Temporal schedule') ?? {};
    assert.deepEqual([state, fix], ['failed', `Run: temporal schedule toggle --unpause -s ${workflowIds.watcher} -n ${namespace}`]);
  });

  it('the doctor says when another installation uses the Temporal namespace', async () => {
    const move = (by: string) => rows(service.db, `UPDATE schema_migrations SET applied_at = applied_at + interval '${by}'`);
    const { namespace } = service.temporal;
    await move('1 second');
    const { state, detail, fix } = (await found(env)).get('Temporal schedule') ?? {};
    await move('-1 second');
    const advice = `Set TEMPORAL_NAMESPACE to one of its own. If the other installation is gone, or its database was created again, run: temporal schedule delete -s watcher -n ${namespace}`;
    const fault = `The Temporal namespace ${namespace} belongs to another installation of Tidings: workers do not start`;
    assert.deepEqual([state, detail, fix], ['failed', fault, advice]);
    assert.equal((await found(env)).get('Temporal schedule')?.state, 'ok');
  });

  it('the doctor names the search attributes to check if the cluster lets only operators read them', async () => {
    const front = await startTemporalFront(service.temporal.address);
    const seen = await found({ ...env, TEMPORAL_ADDRESS: front.address });
    front.close();
    const { state, fix } = seen.get('Temporal search attributes') ?? {};
    assert.equal(state, 'warning');
    assert.match(fix ?? '', /WorkspaceId \(Keyword\), Channel \(Keyword\), BatchId \(Keyword\), MessageIds \(KeywordList\)/);
    for (const subject of ['Temporal', 'Temporal namespace', 'Temporal schedule']) assert.equal(seen.get(subject)?.state, 'ok', subject);
  });

  it('the doctor names the command that creates a missing namespace', async () => {
    const { state, fix } = (await found({ ...env, TEMPORAL_NAMESPACE: 'gone' })).get('Temporal namespace') ?? {};
    assert.deepEqual([state, fix?.split(' (')[0]], ['failed', 'Run: temporal operator namespace create --namespace gone --retention 72h']);
  });

  it('the doctor fails a SECRET_KEY other than that of the database, unless SECRET_KEYS_OLD has it', async () => {
    const SECRET_KEY = 'x'.repeat(32);
    assert.equal((await found({ ...env, SECRET_KEY })).get('SECRET_KEY')?.state, 'failed');
    assert.equal((await found({ ...env, SECRET_KEY, SECRET_KEYS_OLD: env.SECRET_KEY })).get('SECRET_KEY')?.state, 'ok');
  });

  it('the doctor names every server that does not answer, and exits with 1', async () => {
    const dead = `127.0.0.1:${await freePort()}`;
    const { code, seen } = await findings({
      ...env,
      TEMPORAL_ADDRESS: dead,
      REDIS_URL: `redis://${dead}`,
      SMTP_URL: `smtp://${dead}?tls=optional`,
      PUBLIC_URL: `http://${dead}`,
    });
    assert.equal(code, 1);
    for (const subject of ['Temporal', 'Redis', 'account mails', 'public address', 'callback address'])
      assert.equal(seen.get(subject)?.state, 'failed', subject);
    assert.equal(seen.get('PostgreSQL')?.state, 'ok');
  });

  it('the doctor checks nothing but the settings if one of them is wrong', async () => {
    const { code, seen } = await findings({ ...env, PORT: 'x', JWT_SECRET: '' });
    assert.deepEqual([code, [...seen.keys()]], [1, ['settings']]);
  });

  const credentials: [status: number, state: string][] = [
    [200, 'ok'],
    [401, 'failed'],
    [500, 'warning'],
  ];
  for (const [status, state] of credentials) {
    it(`the doctor calls an account ${state} if the provider answers ${status}`, async () => {
      const methods = new Set<string>();
      const counterpart = await startCounterpart(({ method }, response) => {
        methods.add(method);
        reply(response, status, {});
      });
      const seen = await found({ ...env, ...everyCarrierEnv(counterpart) });
      await counterpart.close();
      for (const account of Object.keys(settingsNeeded).filter((kind) => kind !== 'sandbox' && kind !== 'smtp'))
        assert.equal(seen.get(`provider ${account}`)?.state, state, account);
      assert.deepEqual([...methods], ['GET']);
    });
  }
});
