import assert from 'node:assert/strict';
import type { Finding, State } from '../../../activities/doctor/check.js';
import { expiryFinding, namesFinding } from '../../../activities/doctor/checks/addresses.js';
import {
  archiveFindings,
  clockFinding,
  type DatabaseFacts,
  localeFindings,
  privilegesFinding,
  schemaFinding,
  settingFindings,
  versionFinding,
} from '../../../activities/doctor/checks/database.js';
import { formerSecretFindings, topicFindings } from '../../../activities/doctor/checks/providers.js';
import { diskFinding } from '../../../activities/doctor/checks/runtime.js';
import { policyFinding } from '../../../activities/doctor/checks/servers.js';
import { formerKeyFindings } from '../../../activities/doctor/checks/settings.js';
import { attributesFinding, retentionFinding, watcherFinding, workersFinding } from '../../../activities/doctor/checks/temporal.js';
import { callbackSecretOf } from '../../../models/settings/provider-account.js';
import { nowhere } from '../../support/carriers/counterpart.js';
import { everyCarrierEnv } from '../../support/carriers/every-carrier.js';
import { sesEnv } from '../../support/carriers/ses.js';
import { testConfig } from '../../support/config.js';

const healthy: DatabaseFacts = {
  version: '18.1',
  version_number: 180_001,
  size: '9 MB',
  owns_tables: false,
  can_write: true,
  unwritable: null,
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  autovacuum: 'on',
  usable_connections: 97,
  used_connections: 20,
  unarchived: null,
};
const gigabyte = 1024 ** 3;

/** As Temporal numbers them: Keyword is 2, KeywordList 7, Int 3. */
const attributeTypes = { WorkspaceId: 2, Channel: 2, BatchId: 2, MessageIds: 7 };

const cases: [name: string, finding: { state: State }, state: State][] = [
  ['a full disk', diskFinding(gigabyte / 10), 'failed'],
  ['a disk that fills', diskFinding(gigabyte), 'warning'],
  ['a roomy disk', diskFinding(50 * gigabyte), 'ok'],
  ['PostgreSQL 14', versionFinding({ ...healthy, version_number: 140_020 }), 'failed'],
  ['PostgreSQL 15', versionFinding({ ...healthy, version_number: 150_001 }), 'ok'],
  ['a missing migration', schemaFinding({ known: ['1.sql', '2.sql'], applied: ['1.sql'] }), 'failed'],
  ['a newer schema', schemaFinding({ known: ['1.sql'], applied: ['1.sql', '2.sql'] }), 'warning'],
  ['the right schema', schemaFinding({ known: ['1.sql'], applied: ['1.sql'] }), 'ok'],
  ['a role without privileges', privilegesFinding({ ...healthy, can_write: false }), 'failed'],
  ['privileges on tables that do not exist yet', privilegesFinding({ ...healthy, can_write: null }), 'skipped'],
  ['a role that owns the tables', privilegesFinding({ ...healthy, owns_tables: true }), 'warning'],
  ['a clock 31 s behind', clockFinding(-31_000), 'failed'],
  ['a clock 3 s ahead', clockFinding(3_000), 'warning'],
  ['a clock 1 s ahead', clockFinding(1_000), 'ok'],
  ['no live worker', workersFinding(0, 1), 'failed'],
  ['a dead worker beside a live one', workersFinding(1, 1), 'warning'],
  ['a namespace that keeps workflows for a day', retentionFinding('default', 24), 'ok'],
  ['a namespace that keeps workflows for an hour', retentionFinding('default', 1), 'warning'],
  ['search attributes of the right types', attributesFinding(attributeTypes, 'default'), 'ok'],
  ['a missing search attribute', attributesFinding({ ...attributeTypes, Channel: undefined as never }, 'default'), 'failed'],
  ['a search attribute of another type', attributesFinding({ ...attributeTypes, MessageIds: 2 }, 'default'), 'failed'],
  ['a watcher that never ran', watcherFinding(null, []), 'failed'],
  ['a watcher that is late', watcherFinding(181, []), 'failed'],
  ['a watcher with a failing step', watcherFinding(5, ['repair']), 'warning'],
  ['a Redis that evicts', policyFinding('allkeys-lru'), 'warning'],
  ['a certificate near its end', expiryFinding('example.com', 20.9), 'warning'],
  ['DNS that knows no webhook', namesFinding(['a', 'b'], ['a', 'b']), 'failed'],
  ['a mistake in the name of the only webhook', namesFinding(['a'], ['a']), 'warning'],
  ['DNS that misses one webhook', namesFinding(['a', 'b'], ['b']), 'warning'],
];

describe('findings of the doctor', () => {
  for (const [name, finding, state] of cases) {
    it(`a finding of the doctor calls ${name} ${state}`, () => assert.equal(finding.state, state));
  }

  it('findings of the doctor name the commands for search attributes that are missing or of another type', () => {
    const { detail, fix } = attributesFinding({ WorkspaceId: 2, BatchId: 3, MessageIds: 7 }, 'own') as Finding;
    assert.equal(detail, 'Channel missing, BatchId of another type: messages cannot be accepted or found');
    assert.equal(
      fix,
      'Run: temporal operator search-attribute remove --name BatchId --yes -n own && ' +
        'temporal operator search-attribute create --name Channel --type Keyword --name BatchId --type Keyword -n own',
    );
  });

  it('findings of the doctor name each account that accepts signatures with SHA-1', () => {
    const found = (env: object) => topicFindings(testConfig({ ...sesEnv(nowhere), ...env }).accounts);
    assert.deepEqual(
      found({ SES_SNS_SHA1: 'allow' }).map(({ subject, state }) => [subject, state]),
      [['topic of ses', 'warning']],
    );
    assert.deepEqual(found({}), []);
  });

  it('findings of the doctor name each former secret of a carrier that is still accepted', () => {
    const env = everyCarrierEnv(nowhere);
    const found = (former: object) =>
      formerSecretFindings(testConfig({ ...env, ...former }).accounts).map(({ subject, detail, state }) => [subject, detail, state]);
    assert.deepEqual(found({}), []);
    const former = {
      TWILIO_AUTH_TOKEN_OLD: 'former',
      META_APP_SECRET_OLD: 'former',
      POSTMARK_CALLBACK_PASSWORD_OLD: 'a-former-password',
      SENDGRID_VERIFICATION_KEY_OLD: env.SENDGRID_VERIFICATION_KEY,
    };
    const settings = testConfig(env).accounts.flatMap((account) => callbackSecretOf(account)?.setting ?? []);
    assert.deepEqual(new Set(Object.keys(former)), new Set(settings.map((setting) => `${setting}_OLD`)));
    const expected = Object.keys(former).map((setting) => `callbacks made with ${setting} are accepted`);
    assert.deepEqual(new Set(found(former).map(([, detail]) => detail)), new Set(expected));
    assert.deepEqual(found({ META_APP_SECRET_OLD: 'former' }), [
      ['former secret of meta', 'callbacks made with META_APP_SECRET_OLD are accepted', 'warning'],
    ]);
  });

  it('findings of the doctor name each list of former secrets that still has one', () => {
    const found = (env: NodeJS.ProcessEnv) =>
      formerKeyFindings(testConfig(env)).map(({ subject, state, detail }) => [subject, state, detail]);
    const former = 'f'.repeat(32);
    assert.deepEqual(found({}), []);
    assert.deepEqual(found({ JWT_SECRETS_OLD: former }), [
      ['former JWT_SECRET', 'warning', 'JWTs that a value of JWT_SECRETS_OLD signed are accepted'],
    ]);
    assert.deepEqual(found({ SECRET_KEYS_OLD: former }), [
      ['former SECRET_KEY', 'warning', 'API keys, links and callbacks made with a value of SECRET_KEYS_OLD are accepted'],
    ]);
    assert.deepEqual(found({ SECRET_KEY: former, SECRET_KEYS_OLD: former }), [], 'it is the present one');
  });

  it('findings of the doctor name each setting of PostgreSQL that loses data', () => {
    const facts = { ...healthy, fsync: 'off', synchronous_commit: 'off', autovacuum: 'off', used_connections: 95 };
    const states = settingFindings(facts, 10).map(({ state }) => state);
    assert.deepEqual(states, ['failed', 'failed', 'warning', 'warning']);
    assert.deepEqual(
      settingFindings(healthy, 10).map(({ state }) => state),
      ['ok'],
    );
  });

  it('findings of the doctor name a segment of WAL that was not archived, and nothing if all were archived', () => {
    const [finding] = archiveFindings({ ...healthy, unarchived: '00000001000000000000002A' });
    assert.deepEqual([finding?.state, finding?.detail.includes('00000001000000000000002A')], ['warning', true]);
    assert.deepEqual(archiveFindings(healthy), []);
  });

  it('findings of the doctor name a locale that the program cannot use, with what to do about it', () => {
    const [finding] = localeFindings('the encoding of the database is LATIN1');
    assert.deepEqual([finding?.state, finding?.detail], ['failed', 'the encoding of the database is LATIN1']);
    assert.match(finding?.fix ?? '', /CREATE DATABASE/);
    assert.deepEqual(localeFindings(null), []);
  });
});
