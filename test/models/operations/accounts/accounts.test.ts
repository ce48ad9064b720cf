import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { ApiKey } from '../../../../models/tables/api-key.js';
import { identifyApiKeys, type PresentedKey } from '../../../../models/operations/api-keys/identify-api-keys.js';
import { enqueueTokenMail } from '../../../../models/operations/mails/mail-queue.js';
import { revokeApiKey } from '../../../../models/operations/api-keys/revoke-api-key.js';
import { logIn } from '../../../../models/operations/logins/log-in.js';
import { loadMail } from '../../../../models/operations/mails/load-mail.js';
import { signUp } from '../../../../models/operations/accounts/sign-up.js';
import { verifyEmail } from '../../../../models/operations/accounts/verify-email.js';
import { digestApiKey } from '../../../../models/rules/accounts/api-key.js';
import { mailToken } from '../../../../models/rules/accounts/mail-token.js';
import { testConfig } from '../../../support/config.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { ledgerOf } from '../../../support/rows/messages.js';
import { byTest } from '../../../support/by-test.js';

const badToken = { code: 'validation_failed', message: 'Invalid or expired token' };
const wrong = { code: 'unauthorized', message: 'Invalid email or password' };

describe('accounts', () => {
  const config = testConfig({ SIGNUP_CREDITS: '12.5' });
  const test = useDatabase({ poolMax: 20, checksBooks: true });

  const join = (email = `${uuidv7()}@Example.test`, signupConfig = config) =>
    signUp(
      { db: test.db, config: signupConfig },
      { email, password: 'correct horse', company_name: 'Acme', phone: null, country: null },
      byTest,
    );
  const tokenOf = async (mailId: string) => mailToken(config.secretKey, (await loadMail(test.db, mailId))?.token_id ?? '');
  const count = async (table: string) => (await rows<{ n: number }>(test.db, `SELECT count(*) AS n FROM ${table}`))[0]?.n;

  it('signUp creates an unverified workspace with credits, and a mail whose token is not stored', async () => {
    const { workspace, mailId } = await join();
    assert.deepEqual(
      [workspace.balance, workspace.email_verified, await ledgerOf(test.db, workspace.id)],
      [12_500, false, ['grant 12500']],
    );
    assert.equal((await loadMail(test.db, mailId))?.kind, 'verify_email');
    const everything = JSON.stringify(await rows(test.db, 'SELECT m.*, t.* FROM mails m JOIN mail_tokens t ON t.id = m.token_id'));
    assert.ok(!everything.includes(await tokenOf(mailId)));
    assert.doesNotMatch(workspace.password_hash, /correct horse/);
  });

  it('signUp writes no ledger entry without signup credits', async () => {
    const { workspace } = await join(undefined, testConfig({ SIGNUP_CREDITS: '0' }));
    assert.deepEqual(await ledgerOf(test.db, workspace.id), []);
  });

  it('signUp creates one workspace for several at once with one address', async () => {
    const before = [await count('workspaces'), await count('mails'), await count('credit_entries')].map(Number);
    const spellings = ['same@example.test', 'SAME@example.test', 'Same@Example.Test', 'same@EXAMPLE.test'];
    const answers = await Promise.allSettled(spellings.map((email) => join(email)));
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const answer of answers) if (answer.status === 'rejected') assert.equal(answer.reason.code, 'email_exists');
    assert.deepEqual(
      [await count('workspaces'), await count('mails'), await count('credit_entries')].map(Number),
      before.map((number) => number + 1),
    );
  });

  it('logIn ignores the case of the address, and fails alike for a wrong password and an unknown address', async () => {
    const { workspace } = await join('login@example.test');
    const deps = { db: test.db, config: testConfig(), onMail: () => undefined, onAccount: () => undefined, admit: async () => undefined };
    const client = [Buffer.from('client')] as const;
    assert.equal((await logIn(deps, { email: 'LOGIN@example.test', password: 'correct horse', client }, byTest)).id, workspace.id);
    for (const pair of [
      { email: 'login@example.test', password: 'Correct horse' },
      { email: 'nobody@example.test', password: 'correct horse' },
      { email: '', password: '' },
    ]) {
      await assert.rejects(logIn(deps, { ...pair, client }, byTest), wrong);
    }
  });

  it('verifyEmail accepts a token once, also for several at once', async () => {
    const { workspace, mailId } = await join();
    const token = await tokenOf(mailId);
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => verifyEmail(test.db, token, byTest)));
    assert.deepEqual(
      answers.flatMap((answer) => (answer.status === 'fulfilled' ? [[answer.value.id, answer.value.email_verified]] : [])),
      [[workspace.id, true]],
    );
    await assert.rejects(verifyEmail(test.db, token, byTest), badToken);
  });

  it('verifyEmail refuses a token that is unknown, expired, replaced or for another purpose', async () => {
    const { workspace, mailId } = await join();
    const issue = (purpose: 'verify' | 'reset') =>
      test.db.transaction((transaction) =>
        enqueueTokenMail(test.db, transaction, config.secretKey, { workspaceId: workspace.id, purpose }),
      );
    const [voided, reset, newest] = [await tokenOf(mailId), await tokenOf(await issue('reset')), await tokenOf(await issue('verify'))];
    for (const token of ['', 'x', voided, reset]) await assert.rejects(verifyEmail(test.db, token, byTest), badToken);
    await rows(test.db, 'UPDATE mail_tokens SET expires_at = now() WHERE workspace_id = $1', [workspace.id]);
    await assert.rejects(verifyEmail(test.db, newest, byTest), badToken);
    await workspace.reload();
    assert.equal(workspace.email_verified, false);
    await rows(test.db, `UPDATE mail_tokens SET expires_at = now() + interval '1 minute' WHERE workspace_id = $1`, [workspace.id]);
    assert.equal((await verifyEmail(test.db, newest, byTest)).email_verified, true);
  });

  it('identifyApiKeys finds a key with a former secret, and hashes it with the present one', async () => {
    const former = 'former'.repeat(6);
    const { workspace } = await join();
    const { key } = await ApiKey.issue(former, { workspace_id: workspace.id, name: 'k', scopes: ['read_messages'] });
    const [present, earlier] = [config.secretKey, former].map((secretKey) => digestApiKey(secretKey, key)) as [Buffer, Buffer];
    const workspaceOf = async (digest: Buffer, older: Buffer[] = []) =>
      (await identifyApiKeys(test.db, [{ digest, older }]))[0]?.workspace_id;
    assert.equal(await workspaceOf(present), undefined);
    const several = await Promise.all([1, 2].map(() => workspaceOf(present, [digestApiKey('other', key), earlier])));
    assert.deepEqual(several, [workspace.id, workspace.id]);
    assert.equal(await workspaceOf(present), workspace.id);
    assert.equal(await workspaceOf(earlier), undefined);
  });

  it('identifyApiKeys finds a key while processes with the former and the new secret use it', async () => {
    const { workspace } = await join();
    const { key } = await ApiKey.issue(config.secretKey, { workspace_id: workspace.id, name: 'k', scopes: ['read_messages'] });
    const [one, other] = [config.secretKey, 'other'].map((secretKey) => digestApiKey(secretKey, key)) as [Buffer, Buffer];
    const processes = [
      { digest: one, older: [other] },
      { digest: other, older: [one] },
    ];
    const use = async (presented: PresentedKey) => {
      for (let call = 1; call <= 300; call += 1) assert.equal((await identifyApiKeys(test.db, [presented]))[0]?.workspace_id, workspace.id);
    };
    await Promise.all(processes.map(use));
  });

  it('identifyApiKeys finds a key with the balance of its workspace, and shows a revocation', async () => {
    const { workspace } = await join();
    const { row, key } = await ApiKey.issue(config.secretKey, { workspace_id: workspace.id, name: 'k', scopes: ['read_messages'] });
    const identify = async (secretKey = config.secretKey) =>
      (await identifyApiKeys(test.db, [{ digest: digestApiKey(secretKey, key), older: [] }]))[0];
    assert.deepEqual(await identify(), {
      id: row.id,
      name: 'k',
      workspace_id: workspace.id,
      scopes: ['read_messages'],
      is_active: true,
      is_expired: false,
      allowed_addresses: null,
      channels: null,
      last_used_at: null,
      balance: 12_500,
      spend_left: null,
      allowed_countries: null,
      email_verified: false,
      is_suspended: false,
      webhooks: 0,
    });
    assert.equal(await identify('another key'), null);
    for (const _ of [1, 2]) await revokeApiKey(test.db, { workspaceId: workspace.id, id: row.id }, byTest);
    assert.equal((await identify())?.is_active, false);
    const stored = JSON.stringify(await rows(test.db, 'SELECT encode(digest, $1) AS hex, * FROM api_keys', ['escape']));
    assert.ok(!stored.includes(key.slice(12)));
  });

  it('identifyApiKeys answers many keys in their order', async () => {
    const [one, other] = [await join(), await join()];
    const issue = async (workspace_id: string) => (await ApiKey.issue(config.secretKey, { workspace_id, name: 'k', scopes: [] })).key;
    const keys = [await issue(one.workspace.id), 'unknown', await issue(other.workspace.id)];
    const presented = keys.map((key) => ({ digest: digestApiKey(config.secretKey, key), older: [] }));
    const found = await identifyApiKeys(test.db, [...presented, ...presented.slice(0, 1)]);
    assert.deepEqual(
      found.map((key) => key?.workspace_id),
      [one.workspace.id, undefined, other.workspace.id, one.workspace.id],
    );
  });
});
