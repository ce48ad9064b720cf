import assert from 'node:assert/strict';
import { loadConfig } from '../../models/settings/config.js';
import { readPlan } from '../../local/plan/plan.js';
import { type StartedServers, serviceEnvironment, settingsForCommands } from '../../local/service-environment.js';

const database = 'postgres://u:p@127.0.0.1:5432/d';
const temporal = '127.0.0.1:7233';
const secret = 'x'.repeat(32);

describe('environment of the service', () => {
  const embedded = { secrets: { database_password: 'p', jwt_secret: secret, secret_key: secret }, demoReceiver: '127.0.0.1:9' };
  const made: StartedServers = { port: 3100, databaseUrl: database, temporalAddress: temporal, temporalUi: null, embedded };

  it('the environment is complete when everything is embedded, and settings of the user have precedence', () => {
    const { env, config } = serviceEnvironment(readPlan({ JWT_SECRET: 'y'.repeat(40), SIGNUP_CREDITS: '7' }), made);
    assert.deepEqual([config.jwtSecret, config.secretKey, config.signupCredits], ['y'.repeat(40), secret, 7_000]);
    assert.deepEqual([config.publicUrl, env.DEMO_RECEIVER], ['http://127.0.0.1:3100', '127.0.0.1:9']);
  });

  it('the sandbox reports to this machine, also if the public address leads nowhere', () => {
    const user = { PUBLIC_URL: 'https://tidings.example.com', TRUSTED_PROXIES: 'none' };
    const { config } = serviceEnvironment(readPlan(user), made);
    assert.deepEqual([config.publicUrl, config.callbackUrl], [user.PUBLIC_URL, 'http://127.0.0.1:3100']);
    const CALLBACK_URL = 'http://api.example.com:3000';
    assert.equal(serviceEnvironment(readPlan({ ...user, CALLBACK_URL }), made).config.callbackUrl, CALLBACK_URL);
  });

  it('credentials of another Temporal are not used with the embedded one', () => {
    const user = { TEMPORAL_API_KEY: 'key', TEMPORAL_TLS: 'true', TEMPORAL_TLS_SERVER_NAME: 'temporal.example' };
    const plan = readPlan(user);
    const { env, config } = serviceEnvironment(plan, made);
    assert.deepEqual([config.temporalServer.tls, config.temporalServer.apiKey], [undefined, undefined]);
    const command = loadConfig({ ...user, ...settingsForCommands(plan.env, env) });
    assert.deepEqual([command.temporalServer.tls, command.temporalServer.apiKey], [undefined, undefined]);
    const secrets = { JWT_SECRET: secret, SECRET_KEY: secret };
    const configured = readPlan({ ...user, ...secrets, TEMPORAL_ADDRESS: temporal });
    assert.equal(serviceEnvironment(configured, { ...made, embedded: undefined }).config.temporalServer.apiKey, 'key');
  });

  it('the settings of PostgreSQL clients are not used with the embedded server', () => {
    const user = { PGSSLMODE: 'require', PGOPTIONS: '-c x.y=z' };
    const { env } = serviceEnvironment(readPlan(user), made);
    assert.deepEqual([env.PGSSLMODE, env.PGOPTIONS], [undefined, undefined]);
    const configured = readPlan({ ...user, DATABASE_URL: database, JWT_SECRET: secret, SECRET_KEY: secret });
    assert.equal(serviceEnvironment(configured, { ...made, embedded: undefined }).env.PGSSLMODE, 'require');
  });

  it('no proxy of the environment is used on this machine', () => {
    const proxiesOf = (user: NodeJS.ProcessEnv) => {
      const { env } = serviceEnvironment(readPlan(user), made);
      return [env.NO_PROXY, env.no_proxy];
    };
    const here = '127.0.0.1,localhost';
    assert.deepEqual(proxiesOf({ https_proxy: 'http://proxy:3128' }), [here, here]);
    assert.deepEqual(proxiesOf({ HTTP_PROXY: 'http://proxy:3128', NO_PROXY: 'a.example' }), [`a.example,${here}`, `a.example,${here}`]);
    assert.deepEqual(proxiesOf({ HTTP_PROXY: 'http://proxy:3128', no_proxy: '*' }), ['*', '*']);
    assert.deepEqual(proxiesOf({}), [undefined, undefined]);
  });

  it('commands beside a service with an https address start with its settings alone', () => {
    const plan = readPlan({
      PUBLIC_URL: 'https://tidings.example.com',
      TRUSTED_PROXIES: '10.0.0.0/8',
      SMTP_URL: 'smtps://u:p@mail.example.com',
    });
    const settings = settingsForCommands(plan.env, serviceEnvironment(plan, made).env);
    const { publicUrl, trustedProxies } = loadConfig(settings);
    assert.deepEqual([publicUrl, trustedProxies, settings.SMTP_URL], ['https://tidings.example.com', ['10.0.0.0/8'], undefined]);
  });

  it('the local checkout is the payment provider when there is one', () => {
    const checkout = { STRIPE_API_BASE: 'http://127.0.0.1:4242', STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_WEBHOOK_SECRET: 'whsec_x' };
    const { config } = serviceEnvironment(readPlan({}), { ...made, embedded: { ...embedded, checkout } });
    assert.deepEqual(config.stripe, { secretKey: 'sk_test_x', webhookSecret: 'whsec_x', apiBase: 'http://127.0.0.1:4242' });
    assert.equal(serviceEnvironment(readPlan({}), made).config.stripe.secretKey, undefined);
  });

  it('a signup grants 100 credits when everything is embedded, and none otherwise', () => {
    assert.equal(serviceEnvironment(readPlan({}), made).config.signupCredits, 100_000);
    const plan = readPlan({ DATABASE_URL: database, JWT_SECRET: secret, SECRET_KEY: secret });
    const { env, config } = serviceEnvironment(plan, { ...made, embedded: undefined });
    assert.deepEqual([config.signupCredits, env.DEMO_RECEIVER], [0, undefined]);
  });
});
