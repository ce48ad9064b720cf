/** What stays of an account after its end does not say whose it was. */
import assert from 'node:assert/strict';
import { closingWorkspaces, settleClosed } from '../../../models/operations/accounts/settle-closed.js';
import { markMailSent } from '../../../models/operations/mails/load-mail.js';
import { CreditPackage } from '../../../models/tables/credit-package.js';
import { eventText, signature, startStripe, type StripeCounterpart, stripeEnv } from '../../support/carriers/payments.js';
import { rows } from '../../support/database.js';
import { findInDatabase } from '../../support/rows/find-anywhere.js';
import { ledgerOf } from '../../support/rows/messages.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { type Answer, startApp, type TestApp } from '../start-app.js';

const email = 'nobody.else.signs.up.so@example.com';
const changed = 'nobody.else.changes.so@example.com';
const company = 'Zyxwarth and Daughters';
const phone = '+15558675311';
const address = '127.45.67.89';
const agent = 'Zyxwarth-Agent/1.0';
const password = 'correct horse';

describe('a closed account', () => {
  let provider: StripeCounterpart;
  let app: TestApp;
  before(async () => {
    provider = await startStripe();
    app = await startApp({ TRUSTED_PROXIES: '127.0.0.1', SIGNUP_CREDITS: '100', ...stripeEnv(provider.url) });
  });
  after(async () => {
    await assertBooks(app.deps.db);
    await app.close();
    await provider.close();
  });

  let jwt: string;
  const headers = { 'X-Forwarded-For': address, 'User-Agent': agent };
  const call = async (method: string, path: string, body?: object, more: object = { jwt }): Promise<Answer> => {
    const answer = await app.call(method, `/api/v1${path}`, { headers, ...(body === undefined ? {} : { body }), ...more });
    assert.ok(answer.status < 400, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer;
  };
  const logIn = async () => (jwt = (await call('POST', '/auth/login', { email, password }, {})).body.data.token);
  /** Signs up with everything that a closed account must not leave, and logs in. @returns the workspace */
  const signUp = async (): Promise<string> => {
    const { body } = await call('POST', '/auth/signup', { email, password, company_name: company, phone }, {});
    const { id } = body.data.workspace;
    await rows(app.deps.db, 'UPDATE workspaces SET email_verified = true WHERE id = $1', [id]);
    await logIn();
    return id;
  };
  /** Closes the account and sends its mails. Requests that had begun before are over. */
  const close = async (workspaceId: string) => {
    await call('DELETE', '/auth/workspace', { current_password: password });
    for (const { id } of await rows<{ id: string }>(app.deps.db, 'SELECT id FROM mails WHERE refused_code IS NULL'))
      await markMailSent(app.deps.db, id);
    await rows(app.deps.db, `UPDATE workspaces SET closed_at = closed_at - interval '2 minutes' WHERE id = $1`, [workspaceId]);
  };
  const pay = (sessionId: string, type: string, object: object) => {
    const who = { customer_details: { email, name: company, phone } };
    const text = eventText({ type, object: { id: sessionId, amount_total: 500, currency: 'usd', ...who, ...object } });
    return call('POST', '/billing/webhook', undefined, { body: text, headers: { 'Stripe-Signature': signature(text) } });
  };
  const found = async () =>
    (await Promise.all([email, changed, company, phone, address, agent].map((text) => findInDatabase(app.deps.db, text)))).flat();

  it('no table has names, addresses, phone numbers or clients of a closed account', async () => {
    const workspaceId = await signUp();
    await app.call('POST', '/api/v1/auth/login', { headers, body: { email, password: 'wrong' } });
    const other = { headers: { ...headers, 'X-Forwarded-For': '127.45.67.1' } };
    await call('POST', '/auth/login', { email, password }, other);
    const key = await call('POST', '/api-keys', { name: company, allowed_addresses: [`${address}/32`] });
    await call('GET', '/messages', undefined, { key: key.body.data.key });
    await call('POST', '/webhooks', { url: 'https://8.8.8.8/', events: ['message.sent'], description: company });
    await call('PUT', '/workspace', { message_days: 30 });
    await call('POST', '/auth/change-email', { email: changed, current_password: password });
    const [starter] = await CreditPackage.forSale();
    const more = { jwt, headers: { ...headers, 'Idempotency-Key': email } };
    const { session_id } = (await call('POST', '/billing/checkout', { package_id: starter?.id }, more)).body.data;
    await pay(session_id, 'checkout.session.completed', { payment_status: 'paid', payment_intent: 'pi_zyx' });
    assert.ok((await found()).length >= 12, (await found()).join());
    await close(workspaceId);
    const late = `INSERT INTO sessions (id, workspace_id, kind, token_version, expires_at, address) VALUES (gen_random_uuid(), $1, 'jwt', 1, now(), $2)`;
    await rows(app.deps.db, late, [workspaceId, address]); // a login that was in progress
    assert.equal(await settleClosed(app.deps.db, workspaceId, Date.now() - 1), false, 'no time: nothing is settled');
    assert.equal(await settleClosed(app.deps.db, workspaceId, Date.now() + 20_000, 2), true);
    assert.deepEqual(await found(), []);
    assert.deepEqual(await rows(app.deps.db, 'SELECT digest FROM login_addresses WHERE workspace_id = $1', [workspaceId]), []);
    assert.deepEqual(await ledgerOf(app.deps.db, workspaceId), ['grant 100000', 'purchase 100000']);
    await pay('ch_zyx', 'charge.refunded', { payment_intent: 'pi_zyx', amount: 500, amount_refunded: 100 });
    assert.deepEqual(await found(), [], 'nor does what the payment provider says later');
  });

  it('an account that was settled before owners were forgotten forgets its owner, too', async () => {
    const workspaceId = await signUp();
    await close(workspaceId);
    assert.equal(await settleClosed(app.deps.db, workspaceId, Date.now() + 20_000), true);
    await rows(app.deps.db, 'UPDATE workspaces SET forgotten_at = NULL WHERE id = $1', [workspaceId]);
    await rows(app.deps.db, 'UPDATE audit_events SET actor_name = $1 WHERE workspace_id = $2', [email, workspaceId]);
    assert.deepEqual(await closingWorkspaces(app.deps.db, 10), [workspaceId]);
    assert.ok((await found()).length > 0);
    assert.equal(await settleClosed(app.deps.db, workspaceId, Date.now() + 20_000), true);
    assert.deepEqual([await found(), await closingWorkspaces(app.deps.db, 10)], [[], []]);
  });
});
