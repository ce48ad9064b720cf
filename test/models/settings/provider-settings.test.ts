import assert from 'node:assert/strict';
import { faultsOf, load, required } from '../../support/load-settings.js';

describe('settings of providers', () => {
  const twilio = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'token-1', TWILIO_FROM: '+15005550100' };

  it('settings of providers let accounts share a channel, with own settings or those of their kind', () => {
    const { routes, accounts } = load({
      ...twilio,
      PROVIDER_SMS: 'twilio=3, backup=0',
      PROVIDER_ACCOUNTS: 'backup=twilio,old=postmark',
      BACKUP_TWILIO_AUTH_TOKEN: 'token-2',
      BACKUP_TWILIO_API_BASE: 'https://backup.example.test',
      OLD_EMAIL_FROM: 'old@example.test',
      OLD_POSTMARK_SERVER_TOKEN: 'server',
      OLD_POSTMARK_CALLBACK_PASSWORD: 'a-password-of-callbacks',
    });
    assert.deepEqual(routes.sms, [
      { account: 'twilio', weight: 3 },
      { account: 'backup', weight: 0 },
    ]);
    const own = accounts.flatMap((account) =>
      account.kind === 'twilio' ? [[account.name, account.accountSid, account.authToken, account.apiBase]] : [],
    );
    assert.deepEqual(own, [
      ['twilio', 'AC1', 'token-1', 'https://api.twilio.com'],
      ['backup', 'AC1', 'token-2', 'https://backup.example.test'],
    ]);
    const old = accounts.find(({ name }) => name === 'old');
    assert.equal(old?.kind, 'postmark', 'one that carries nothing any more still answers for what it took');
  });

  it('a default account without a channel stays for callbacks while all its required settings are present', () => {
    const namesOf = (env: NodeJS.ProcessEnv) => load(env).accounts.map(({ name }) => name);
    assert.deepEqual(namesOf(twilio), ['sandbox', 'twilio']);
    assert.deepEqual(load(twilio).routes.sms, [{ account: 'sandbox', weight: 1 }]);
    assert.equal(load(twilio).isSandboxOnly, true);
    assert.deepEqual(namesOf({ ...twilio, PROVIDER_ACCOUNTS: 'old=twilio' }), ['sandbox', 'old', 'twilio']);
    assert.deepEqual(namesOf({ ...twilio, TWILIO_FROM: undefined }), ['sandbox'], 'its settings are incomplete');
    assert.deepEqual(namesOf({ META_ACCESS_TOKEN: 'token', EMAIL_FROM: 'hello@example.test' }), ['sandbox']);
  });

  it('former secrets of callbacks belong to the account whose secret they were', () => {
    const { accounts } = load({
      ...twilio,
      TWILIO_AUTH_TOKEN_OLD: 'token-0',
      PROVIDER_SMS: 'twilio',
      PROVIDER_ACCOUNTS: 'shares=twilio,own=twilio,rotates=twilio',
      OWN_TWILIO_AUTH_TOKEN: 'token-2',
      ROTATES_TWILIO_AUTH_TOKEN: 'token-4',
      ROTATES_TWILIO_AUTH_TOKEN_OLD: 'token-3',
    });
    assert.deepEqual(
      accounts.flatMap((account) => (account.kind === 'twilio' ? [[account.name, account.authToken, account.oldAuthToken]] : [])),
      [
        ['twilio', 'token-1', 'token-0'],
        ['shares', 'token-1', 'token-0'],
        ['own', 'token-2', undefined],
        ['rotates', 'token-4', 'token-3'],
      ],
    );
  });

  for (const [what, env, fault] of [
    [
      'an account that nobody named',
      { PROVIDER_SMS: 'twilio,pigeon' },
      'PROVIDER_SMS: pigeon is no account that carries sms: sandbox, twilio',
    ],
    [
      'a kind that does not carry the channel',
      { PROVIDER_SMS: 'mail', PROVIDER_ACCOUNTS: 'mail=smtp', EMAIL_FROM: 'news@example.test', EMAIL_SMTP_URL: 'smtp://localhost' },
      'PROVIDER_SMS: mail is no account that carries sms: sandbox, twilio',
    ],
    ['an account twice', { PROVIDER_SMS: 'twilio,twilio=2' }, 'PROVIDER_SMS: an account is named twice'],
    ['nobody with a weight', { PROVIDER_SMS: 'twilio=0' }, 'PROVIDER_SMS: one weight at least must be above 0'],
    [
      'the sandbox beside a carrier on a channel',
      { PROVIDER_SMS: 'twilio=1,sandbox=0' },
      'PROVIDER_SMS: sandbox delivers nothing, so it cannot share the channel with twilio',
    ],
    [
      'a further sandbox, to which no report would come',
      { PROVIDER_SMS: 'trial', PROVIDER_ACCOUNTS: 'trial=sandbox' },
      'PROVIDER_ACCOUNTS: the kinds are twilio, meta, smtp, ses, postmark, sendgrid',
    ],
    ['a name that is a kind', { PROVIDER_ACCOUNTS: 'meta=twilio' }, 'PROVIDER_ACCOUNTS: the name meta is taken'],
    ['a name twice', { PROVIDER_ACCOUNTS: 'one=twilio,one=twilio' }, 'PROVIDER_ACCOUNTS: the name one is taken'],
    [
      'an unknown kind',
      { PROVIDER_ACCOUNTS: 'one=pigeon' },
      'PROVIDER_ACCOUNTS: the kinds are twilio, meta, smtp, ses, postmark, sendgrid',
    ],
    ['a list that is none', { PROVIDER_SMS: 'twilio=many' }, 'PROVIDER_SMS must be accounts with weights, for example twilio=3,backup=1'],
    [
      'a limit of an account that does not exist',
      { PROVIDER_LIMITS: 'twillio=10' },
      'PROVIDER_LIMITS: twillio is no account: sandbox, twilio, meta, smtp, ses, postmark, sendgrid',
    ],
    ['two limits of an account', { PROVIDER_LIMITS: 'twilio=10, twilio=20' }, 'PROVIDER_LIMITS: an account is named twice'],
    [
      'a sender name of spaces',
      { TWILIO_FROM: ' ' },
      'TWILIO_FROM must be a phone number, a short code, a sender name or the SID of a messaging service',
    ],
    [
      'a bad setting of its own',
      { PROVIDER_SMS: 'one', PROVIDER_ACCOUNTS: 'one=twilio', ONE_TWILIO_FROM: '#' },
      'ONE_TWILIO_FROM must be a phone number, a short code, a sender name or the SID of a messaging service',
    ],
  ] as const) {
    it(`settings of providers are refused with ${what}`, () => assert.deepEqual(faultsOf({ ...required, ...twilio, ...env }), [fault]));
  }

  it('settings of providers name a missing setting of an account', () => {
    const env = { PROVIDER_SMS: 'one', PROVIDER_ACCOUNTS: 'one=twilio', TWILIO_ACCOUNT_SID: 'AC1' };
    assert.deepEqual(faultsOf({ ...required, ...env }).toSorted(), ['ONE_TWILIO_AUTH_TOKEN is not set', 'ONE_TWILIO_FROM is not set']);
  });

  it('settings of providers name a missing setting of an account without a channel', () => {
    const faults = (env: object) => faultsOf({ ...required, ...env });
    assert.deepEqual(faults({ PROVIDER_ACCOUNTS: 'one=twilio', TWILIO_ACCOUNT_SID: 'AC1' }), ['ONE_TWILIO_AUTH_TOKEN is not set']);
    assert.deepEqual(faults({ PROVIDER_ACCOUNTS: 'one=smtp', ONE_EMAIL_SMTP_URL: 'smtp://localhost' }), ['ONE_EMAIL_FROM is not set']);
  });

  it('a chosen provider needs its settings', () => {
    assert.deepEqual(faultsOf({ ...required, PROVIDER_EMAIL: 'smtp' }).toSorted(), ['EMAIL_FROM is not set', 'EMAIL_SMTP_URL is not set']);
    const email = { PROVIDER_EMAIL: 'smtp', EMAIL_SMTP_URL: 'smtps://user:pass@mail.example.test' };
    for (const from of ['hello@example.test', 'Söhne Co. <hello@example.test>']) {
      assert.deepEqual(load({ ...email, EMAIL_FROM: from }).accounts.at(-1), {
        name: 'smtp',
        kind: 'smtp',
        url: email.EMAIL_SMTP_URL,
        from,
      });
    }
    for (const from of ['hello', '<hello@example.test', 'a@example.test, b@example.test', '"x" <hello@example.test>']) {
      assert.match(faultsOf({ ...required, ...email, EMAIL_FROM: from })[0] ?? '', /^EMAIL_FROM must be an e-mail address/);
    }
  });

  it('the address of Amazon follows from the region', () => {
    const ses = {
      PROVIDER_EMAIL: 'ses',
      EMAIL_FROM: 'hello@example.test',
      SES_ACCESS_KEY_ID: 'id',
      SES_SECRET_ACCESS_KEY: 'secret',
      SES_TOPIC_ARN: 'arn:aws:sns:eu-west-1:123456789012:events',
    };
    const basesIn = (region: string) => {
      const account = load({ ...ses, SES_REGION: region }).accounts.at(-1);
      return account?.kind === 'ses' ? [account.apiBase, account.snsBase] : [];
    };
    assert.deepEqual(basesIn('eu-west-1'), ['https://email.eu-west-1.amazonaws.com', 'https://sns.eu-west-1.amazonaws.com']);
    assert.deepEqual(basesIn('cn-north-1'), ['https://email.cn-north-1.amazonaws.com.cn', 'https://sns.cn-north-1.amazonaws.com.cn']);
    const sovereign = ['https://email.eusc-de-east-1.amazonaws.eu', 'https://sns.eusc-de-east-1.amazonaws.eu'];
    assert.deepEqual(basesIn('eusc-de-east-1'), sovereign);
    assert.match(faultsOf({ ...required, ...ses, SES_REGION: 'mars' })[0] ?? '', /^SES_REGION must be a region/);
  });
});
