import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Finding, runChecks } from '../../../activities/doctor/check.js';
import { nowhere } from '../../support/carriers/counterpart.js';
import { clearTextFindings, nameOf, paymentsCheck } from '../../../activities/doctor/checks/payments.js';
import { settingsCheck } from '../../../activities/doctor/checks/settings.js';
import { startCheckout } from '../../../local/checkout/server.js';
import type { Database } from '../../../models/db/database.js';
import { freePort } from '../../support/network/free-port.js';
import { reply, startCounterpart } from '../../support/carriers/counterpart.js';
import { stripeEnv, webhookSecret } from '../../support/carriers/payments.js';
import { testConfig } from '../../support/config.js';

describe('the check of payments', () => {
  const found = (env: NodeJS.ProcessEnv): Promise<Finding[]> => runChecks([paymentsCheck], { config: testConfig(env), db: {} as Database });
  const statesOf = (findings: readonly Finding[]) => findings.map(({ subject, state }) => [subject, state]);

  it('the check of payments is skipped if neither setting of payments is set', async () => {
    assert.deepEqual(statesOf(await found({})), [['payments', 'skipped']]);
  });

  for (const missing of ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'])
    it(`the check of payments fails without ${missing} alone, and calls nobody`, async () => {
      const config = testConfig({ ...stripeEnv(nowhere.url), [missing]: undefined });
      const findings = await runChecks([settingsCheck, paymentsCheck], { config, db: {} as Database });
      assert.deepEqual(statesOf(findings), [['payments', 'failed']]);
      assert.match(findings[0]?.detail ?? '', new RegExp(missing));
    });

  const answers: [status: number, state: string][] = [
    [200, 'ok'],
    [401, 'failed'],
    [403, 'failed'],
    [302, 'warning'],
    [500, 'warning'],
  ];
  for (const [status, state] of answers)
    it(`the check of payments is ${state} if the payment provider answers ${status}`, async () => {
      const asked: unknown[] = [];
      const counterpart = await startCounterpart(({ method, path, headers }, response) => {
        asked.push([method, path, headers.authorization]);
        reply(response, status, {});
      });
      const findings = await found(stripeEnv(counterpart.url));
      await counterpart.close();
      assert.deepEqual(statesOf(findings), [['payments', state]]);
      assert.deepEqual(asked, [['GET', '/v1/checkout/sessions?limit=1', 'Bearer sk_test_tests']]);
    });

  it('the check of payments names the host that accepts the key, unless it is Stripe', async () => {
    const counterpart = await startCounterpart((_, response) => reply(response, 200, {}));
    const findings = await found(stripeEnv(counterpart.url));
    await counterpart.close();
    assert.deepEqual(
      findings.map(({ detail }) => detail),
      [`${new URL(counterpart.url).host} accepts the key`],
    );
    assert.equal(nameOf('https://api.stripe.com'), 'Stripe');
  });

  it('the check of payments fails if the payment provider cannot be reached', async () => {
    assert.deepEqual(statesOf(await found(stripeEnv(`http://127.0.0.1:${await freePort()}`))), [['payments', 'failed']]);
  });

  it('the check of payments warns of an address without TLS on another machine', () => {
    assert.deepEqual(statesOf(clearTextFindings('http://payments.example.test:12111')), [['payments', 'warning']]);
    for (const safe of ['https://api.stripe.com', 'http://127.0.0.1:12111', 'http://[::1]:12111'])
      assert.deepEqual(clearTextFindings(safe), [], safe);
  });

  it('the check of payments is ok with the local checkout', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidings-payments-'));
    const place = { port: 0, secretKey: 'sk_test_tests', webhookSecret, api: 'http://127.0.0.1:1', state: join(folder, 'checkout.json') };
    const checkout = await startCheckout(place);
    try {
      assert.deepEqual(statesOf(await found(stripeEnv(checkout.url))), [['payments', 'ok']]);
    } finally {
      await checkout.close();
      rmSync(folder, { recursive: true });
    }
  });
});
