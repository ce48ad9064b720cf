import assert from 'node:assert/strict';
import { failed, ok, runChecks, skipped, warning } from '../../../activities/doctor/check.js';
import { webhookNamesCheck } from '../../../activities/doctor/checks/addresses.js';
import { secretKeyCheck } from '../../../activities/doctor/checks/database.js';
import { workersCheck } from '../../../activities/doctor/checks/temporal.js';
import { exitCodeOf, textOf } from '../../../activities/doctor/report.js';
import { connect, type Database } from '../../../models/db/database.js';
import { testConfig } from '../../support/config.js';
import { freePort } from '../../support/network/free-port.js';

describe('the checks of the doctor', () => {
  it('the findings of the doctor are shown with what to do, and counted', () => {
    const findings = [ok('a', 'fine'), warning('bb', 'old', 'Renew it'), failed('c', 'down', 'Start it'), skipped('d', 'unset')];
    const text = [
      '✓ a   fine',
      '! bb  old',
      '      → Renew it',
      '✗ c   down',
      '      → Start it',
      '– d   unset',
      '',
      '1 ok, 1 warning, 1 failed, 1 skipped',
      '',
    ];
    assert.equal(textOf(findings), text.join('\n'));
    assert.deepEqual([exitCodeOf(findings), exitCodeOf(findings.slice(0, 2))], [1, 0]);
  });

  it('findings of the doctor name the reason for which an address cannot be reached', async () => {
    const port = await freePort();
    const check = { subject: 's', fix: 'Fix it', run: async () => [ok('s', String((await fetch(`http://127.0.0.1:${port}/`)).status))] };
    const findings = await runChecks([check], { config: testConfig(), db: undefined as unknown as Database });
    assert.deepEqual(findings, [failed('s', `connect ECONNREFUSED 127.0.0.1:${port}`, 'Fix it')]);
  });

  it('findings of the doctor advise to check PostgreSQL first if a check cannot reach it', async () => {
    const db = connect('postgres://nobody@127.0.0.1:1/none', 1);
    const findings = await runChecks([workersCheck, webhookNamesCheck, secretKeyCheck], { config: testConfig(), db });
    await db.close();
    const seen = findings.map(({ state, fix }) => `${state}, ${fix?.split(/[.,]/)[0]}`);
    assert.deepEqual(seen, ['failed, Check PostgreSQL first', 'failed, Check PostgreSQL first', 'failed, Check PostgreSQL first']);
  });

  it('findings of the doctor include checks that throw or never end', async () => {
    const check = { subject: 's', fix: 'Fix it' };
    const never = { ...check, run: () => new Promise<never>(() => undefined) };
    const throws = { ...check, run: () => Promise.reject(new AggregateError([new Error('refused')], '')) };
    const findings = await runChecks([never, throws], { config: testConfig(), db: undefined as unknown as Database }, 50);
    assert.deepEqual(findings, [failed('s', 'no answer within 0.05 s', 'Fix it'), failed('s', 'refused', 'Fix it')]);
  });
});
