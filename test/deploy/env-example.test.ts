import assert from 'node:assert/strict';
import type Joi from 'joi';
import { loadConfig } from '../../models/settings/config.js';
import { settings } from '../../models/settings/settings.js';
import { composeWith, environmentWith, readCompose, variablesOf } from './compose-file.js';
import { filledIn, readEnvExample } from './env-example.js';
import { textOf } from './project.js';

interface Declared {
  default?: string | number | (string | number)[];
  description?: string;
}

const declared = (schema: Joi.Schema): Declared => (schema.describe() as { flags?: Declared }).flags ?? {};
/** What only the local launcher sets is not for users. */
const forUsers = Object.entries(settings).filter(([, schema]) => !declared(schema).description?.startsWith('set by the local launcher'));
/** Read by docker-compose.yml alone. */
const composeOnly = [
  'POSTGRES_PASSWORD',
  'TIDINGS_DB_OWNER_PASSWORD',
  'TIDINGS_DB_PASSWORD',
  'TEMPORAL_DB_PASSWORD',
  'REDIS_PASSWORD',
  'NAMESPACE_RETENTION',
  'WORKERS',
  'TEMPORAL_UI_PORT',
  'GRAFANA_PORT',
];

function asText(value: Declared['default']): string {
  if (value === undefined) return '';
  return Array.isArray(value) ? value.join(',') : String(value);
}

describe('.env.example', () => {
  const entries = readEnvExample();
  const byName = new Map(entries.map((entry) => [entry.name, entry]));

  it('.env.example has each name once', () => {
    assert.equal(byName.size, entries.length);
  });

  it('.env.example names every setting of models/settings/settings.ts, and nothing that is no setting', () => {
    const names = [...forUsers.map(([name]) => name), ...composeOnly];
    assert.deepEqual(entries.map(({ name }) => name).toSorted(), names.toSorted());
  });

  for (const [name, schema] of forUsers) {
    it(`.env.example shows ${name} with the declared default and meaning`, () => {
      const { default: value, description } = declared(schema);
      assert.deepEqual(
        { value: byName.get(name)?.value, comment: byName.get(name)?.comment },
        { value: asText(value), comment: description },
      );
    });
  }

  it('only the required settings in .env.example are active, and empty', () => {
    const required = variablesOf().flatMap(({ name, required: is }) => (is ? [name] : []));
    const active = entries.filter((entry) => entry.active);
    assert.deepEqual(active.map(({ name }) => name).toSorted(), required.toSorted());
    assert.ok(active.every(({ value }) => value === ''));
  });

  it('.env.example names every variable that docker-compose.yml reads', () => {
    assert.deepEqual(
      variablesOf().filter(({ name }) => !byName.has(name)),
      [],
    );
  });

  it('the last settings in .env.example are those that docker-compose.yml fixes', () => {
    const variables = new Set(variablesOf().map(({ name }) => name));
    const fixed = Object.keys(readCompose().services.api?.environment ?? {}).filter((name) => !variables.has(name));
    assert.deepEqual(
      entries
        .slice(-fixed.length)
        .map(({ name }) => name)
        .toSorted(),
      fixed.toSorted(),
    );
  });

  it('the defaults in .env.example mean the same when they are written out', () => {
    const shown = Object.fromEntries(entries.map(({ name, value }) => [name, value]));
    const complete = { ...filledIn(), DATABASE_URL: 'postgres://db/x', TEMPORAL_ADDRESS: 'temporal:7233' };
    const { metrics, ...others } = loadConfig({ ...shown, ...complete });
    // Whoever writes a port wants it: the start fails if it is taken.
    assert.deepEqual({ ...others, metrics: { ...metrics, isGiven: false } }, { ...loadConfig(complete) });
  });
});

describe('the file .env with docker-compose.yml', () => {
  const startWith = (more: Record<string, string>) => {
    const env = { ...filledIn(), ...more };
    return loadConfig(environmentWith(composeWith(env).services.migrate, env), ['DATABASE_URL']);
  };

  it('the job migrate, for which API and worker wait, fails with a misspelt setting in .env', () => {
    assert.throws(() => startWith({ SIGN_UP: 'closed', MAX_APIKEYS: '5' }), /SIGN_UP is not a setting.*\n.*MAX_APIKEYS is not a setting/);
    const waiting = Object.entries(composeWith(filledIn()).services).filter(([, { depends_on = {} }]) => 'migrate' in depends_on);
    assert.deepEqual(waiting.map(([name]) => name).toSorted(), ['api', 'worker']);
  });

  it('the job migrate accepts every line of .env.example', () => {
    const shown = Object.fromEntries(readEnvExample().flatMap(({ name, value, active }) => (active ? [] : [[name, value]])));
    const { migrateDatabaseUrl } = startWith(shown);
    assert.match(migrateDatabaseUrl, /tidings_owner/);
  });

  const [, block = ''] = /```\n(PROVIDER_ACCOUNTS=[^]*?)```/.exec(textOf('docs/carriers.md')) ?? [];
  const documented = [...block.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value.replace('…', 'x')] as const);
  const ofChannel = documented.filter(([name]) => name.startsWith('PROVIDER_'));
  const ofAccount = documented.filter(([name]) => !name.startsWith('PROVIDER_'));
  const twilio = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'token', TWILIO_FROM: 'Tidings' };

  for (const name of ['api', 'worker', 'migrate'])
    it(`${name} has the documented accounts with PROVIDER_… in .env, and refuses to start with it in accounts.env`, () => {
      const startIt = (env: Record<string, string>, accounts: Record<string, string>) =>
        loadConfig(environmentWith(composeWith(env).services[name], env, accounts));
      const env = { ...filledIn(), ...twilio };
      const { routes } = startIt({ ...env, ...Object.fromEntries(ofChannel) }, Object.fromEntries(ofAccount));
      assert.deepEqual(
        routes.sms.map(({ account }) => account),
        ['twilio', 'backup'],
      );
      assert.throws(() => startIt(env, Object.fromEntries(documented)), /BACKUP_TWILIO_ACCOUNT_SID is not a setting: PROVIDER_ACCOUNTS/);
    });

  it('our processes get neither the password of the superuser nor that of Temporal', () => {
    const passwords = { POSTGRES_PASSWORD: 'superuser-of-postgres', TEMPORAL_DB_PASSWORD: 'role-of-temporal' };
    const env = { ...filledIn(), ...passwords };
    for (const name of ['api', 'worker', 'migrate']) {
      const given = Object.values(environmentWith(composeWith(env).services[name], env)).join(' ');
      for (const password of Object.values(passwords)) assert.ok(!given.includes(password), `${password} for ${name}`);
    }
  });
});
