import assert from 'node:assert/strict';
import { textOf } from '../deploy/project.js';
import { faultsOf, required } from '../support/load-settings.js';

const named = { PROVIDER_ACCOUNTS: 'eu=twilio', TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'token' };

describe('an unknown setting', () => {
  for (const [name, meant] of [
    ['WEBHOOK_PORT', 'WEBHOOK_PORTS'],
    ['WEBHOOKS_RETRY_DELAYS', 'WEBHOOK_RETRY_DELAYS'],
    ['RATE_LIMIT_APIS', 'RATE_LIMIT_API'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['JWT_SECRETS', 'JWT_SECRET'],
    ['SIGNUP_CREDIT', 'SIGNUP_CREDITS'],
    ['HANDOFF_TIMEOUT_MS', 'HANDOFF_TIMEOUT'],
    ['DRAIN_SECONDS_SECONDS', 'DRAIN_SECONDS'],
    ['EU_TWILIO_FORM', 'EU_TWILIO_FROM'],
  ] as const) {
    it(`${name} is a fault at start that names ${meant}`, () => {
      const env = { ...required, ...named, [name]: 'x' };
      assert.deepEqual(faultsOf(env), [`${name} is not a setting. Did you mean ${meant}?`]);
    });
  }
  for (const name of ['JWT_SECRET', 'DATABASE_URL', 'STRIPE_SECRET_KEY', 'EU_TWILIO_AUTH_TOKEN']) {
    it(`${name}_FILE is a fault at start, because settings are not read from files`, () => {
      const env = { ...required, ...named, [`${name}_FILE`]: '/run/secrets/x' };
      assert.deepEqual(faultsOf(env), [`${name}_FILE is not a setting: set ${name} to the content of the file`]);
    });
  }
  it('an unknown setting is a fault if it has a prefix of ours', () => {
    assert.deepEqual(faultsOf({ ...required, WEBHOOK_COLOUR: 'red' }), ['WEBHOOK_COLOUR is not a setting']);
  });
  for (const name of ['BACKUP_TWILIO_AUTH_TOKEN', 'EU_WEST_SES_ACCESS_KEY_ID', 'OLD_EMAIL_SMTP_URL']) {
    const account = name.replace(/_(TWILIO|SES|EMAIL)_.*/, '').toLowerCase();
    it(`${name} is a fault at start while PROVIDER_ACCOUNTS names no account ${account}`, () => {
      const fault = `${name} is not a setting: PROVIDER_ACCOUNTS names no account ${account} (docker compose reads it from .env only)`;
      assert.deepEqual(faultsOf({ ...required, [name]: 'x' }), [fault]);
      assert.deepEqual(faultsOf({ ...required, ...named, [name]: 'x' }), [fault]);
    });
  }
  it('an unknown setting is reported with all other errors', () => {
    assert.equal(faultsOf({ ...required, RATE_LIMIT_BULKS: '1/1', PORT: 'x' }).length, 2);
  });
  it('the variables of receivers of webhooks are ignored, so that the service starts in the same shell', () => {
    const receivers = ['receiver.mjs', 'receiver.py', 'receiver.go', 'receiver.php'].map((name) => `verify/receivers/${name}`);
    const texts = ['docs/webhooks.md', 'verify/README.md', 'console/screens/webhooks/verification.tsx', ...receivers].map(textOf);
    const read = /(?:^ *export |process\.env\.|environ\["|environ\.get\("|[gG]etenv\(["'])(\w+)/gm;
    const names = texts.flatMap((text) => [...text.matchAll(read)].map(([, name = '']) => name));
    assert.ok(names.includes('WEBHOOK_SECRET') && names.includes('WEBHOOK_SECRETS'));
    const variables = Object.fromEntries(names.map((name) => [name, name === 'PORT' ? '8080' : 'whsec_MDEyMw==']));
    assert.deepEqual(faultsOf({ ...required, ...variables }), []);
  });
  it('settings of other programs are ignored', () => {
    const variables = {
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      AWS_SESSION_TOKEN: 'x',
      AWS_SES_ACCESS_KEY_ID: 'x',
      PROD_AWS_SES_REGION: 'x',
      REACT_APP_TWILIO_ACCOUNT_SID: 'x',
      NEXT_PUBLIC_TWILIO_FROM: 'x',
      TF_VAR_TWILIO_AUTH_TOKEN: 'x',
      DEFAULT_EMAIL_FROM: 'x',
      OTHER_SMTP_URL: 'x',
      HOME: '/root',
      HOSTNAME: 'x',
      PATH: '/bin',
      MAIL: '/var/mail',
      POSTGRES_PASSWORD: 'x',
      POSTGRES_PASSWORD_FILE: '/run/secrets/x',
      SSL_CERT_FILE: '/etc/ssl/cert.pem',
      TEMPORAL_CLI_ADDRESS: 'x',
      STRIPE_PUBLISHABLE_KEY: 'x',
      npm_config_loglevel: 'x',
      WEBHOOK_PORT: 'tcp://10.0.0.1:443',
      WEBHOOK_SERVICE_HOST: '10.0.0.1',
      WEBHOOK_PORT_443_TCP_ADDR: '10.0.0.1',
      WEBHOOK_RETRY: '',
    };
    assert.deepEqual(faultsOf({ ...required, ...variables }), []);
  });
});
