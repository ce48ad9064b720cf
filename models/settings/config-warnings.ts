/** Mistakes in settings that are valid. The API logs them when it starts, and `npm run doctor` prints them. */
import { isDeepStrictEqual } from 'node:util';
import { channels } from '../channels.js';
import { keyMode } from '../rules/billing/key-mode.js';
import { servingAccounts } from '../rules/routing/route.js';
import type { Config } from './config.js';
import { callbackSecretOf, channelSetting, kindsFor } from './provider-account.js';

export interface ConfigWarning {
  /** For the doctor. `failed`: messages or payments are affected. */
  state: 'failed' | 'warning';
  /** What the settings are about: `channel sms`. */
  subject: string;
  text: string;
  /** What to do about it. */
  fix: string;
}

type Warned = Pick<Config, 'routes' | 'accounts' | 'sandboxChannels' | 'isSandboxOnly' | 'stripe' | 'jwtSecret' | 'secretKey'>;

/** Finds settings that do not fit together, and secrets that can be guessed. */
export const configWarnings = (config: Warned): ConfigWarning[] => [
  ...sandboxWarnings(config),
  ...accountWarnings(config),
  ...stripeWarnings(config.stripe),
  ...modeWarnings(config),
  ...weakSecrets(config),
  ...shortCallbackSecrets(config),
];

/** Channels whose messages reach nobody while those of others do: perhaps their setting was forgotten. */
function sandboxWarnings({ sandboxChannels, isSandboxOnly }: Warned): ConfigWarning[] {
  if (isSandboxOnly) return [];
  return sandboxChannels.map((channel) => ({
    state: 'warning',
    subject: `channel ${channel}`,
    text: 'uses the sandbox beside real carriers: its messages are charged and reported as delivered, but reach nobody',
    fix: `Set ${channelSetting('PROVIDER', channel)} before messages are sent on it`,
  }));
}

/** Accounts without use: perhaps settings of theirs did not arrive, so that messages go another way than intended. */
function accountWarnings({ accounts, routes }: Warned): ConfigWarning[] {
  const used = servingAccounts(routes);
  return [...idleAccounts(accounts, used), ...accountsWithoutOwnSettings(accounts, used)];
}

function idleAccounts(accounts: Warned['accounts'], used: ReadonlySet<string>): ConfigWarning[] {
  const usedKinds = new Set(accounts.filter(({ name }) => used.has(name)).map(({ kind }) => kind));
  // The settings of a kind are also those that its named accounts lack.
  const idle = accounts.filter(({ name, kind }) => kind !== 'sandbox' && !used.has(name) && !(name === kind && usedKinds.has(kind)));
  return idle.map(({ name, kind }) => {
    const settings = channels.filter((channel) => kindsFor(channel).includes(kind)).map((channel) => channelSetting('PROVIDER', channel));
    return {
      state: 'warning',
      subject: `account ${name}`,
      text: 'serves no channel, so no message is sent through it',
      fix: `Name it in ${settings.join(' or ')}, or remove its settings when its last delivery reports have come`,
    };
  });
}

/** Named accounts that serve a channel with the settings of their kind alone. */
function accountsWithoutOwnSettings(accounts: Warned['accounts'], used: ReadonlySet<string>): ConfigWarning[] {
  return accounts
    .filter((account) => {
      const ofKind = accounts.find(({ name }) => name === account.kind);
      return ofKind !== account && used.has(account.name) && isDeepStrictEqual({ ...account, name: account.kind }, ofKind);
    })
    .map(({ name, kind }) => ({
      state: 'warning',
      subject: `account ${name}`,
      text: `has no setting of its own, so it sends with those of ${kind}`,
      fix: `Give it settings of its own, ${name.toUpperCase()}_${kind.toUpperCase()}_… (with docker compose in accounts.env)`,
    }));
}

function stripeWarnings({ secretKey, webhookSecret }: Config['stripe']): ConfigWarning[] {
  if ((secretKey === undefined) === (webhookSecret === undefined)) return [];
  const [missing, given] =
    secretKey === undefined ? ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'] : ['STRIPE_WEBHOOK_SECRET', 'STRIPE_SECRET_KEY'];
  return [{ state: 'failed', subject: 'payments', text: `no credits are sold: ${missing} is missing`, fix: `Set it, or remove ${given}` }];
}

/** Without both settings of Stripe nothing is sold, see `stripeWarnings`. */
function modeWarnings({ isSandboxOnly, stripe }: Warned): ConfigWarning[] {
  if (stripe.secretKey === undefined || stripe.webhookSecret === undefined) return [];
  const mode = keyMode(stripe.secretKey);
  const subject = 'payment mode';
  if (mode === 'live' && isSandboxOnly)
    return [
      {
        state: 'warning',
        subject,
        text: 'real money is paid for messages of the sandbox',
        fix: 'Set a test key of Stripe, or real carriers for the channels',
      },
    ];
  if (mode === 'test' && !isSandboxOnly)
    return [
      { state: 'failed', subject, text: 'messages of real carriers can be paid for with test cards', fix: 'Set a live key of Stripe' },
    ];
  return [];
}

/** Of 27 million texts of 32 random hexadecimal digits, one has fewer. */
const differentCharactersMin = 8;

/** Their lengths are checked at the start. */
const weakSecrets = ({ jwtSecret, secretKey }: Warned): ConfigWarning[] =>
  Object.entries({ JWT_SECRET: jwtSecret, SECRET_KEY: secretKey })
    .filter(([, secret]) => new Set(secret).size < differentCharactersMin)
    .map(([setting]) => ({
      state: 'warning',
      subject: `strength of ${setting}`,
      text: `it has fewer than ${differentCharactersMin} different characters, so that others can guess it`,
      fix: 'Replace it with a random value, for example of: openssl rand -hex 32',
    }));

/** Those of the providers are longer. */
const callbackSecretMin = 16;

/** Such a secret is the only proof of a callback. A setting whose own check demands more characters is never short. */
function shortCallbackSecrets({ accounts, stripe: { webhookSecret: secret } }: Warned): ConfigWarning[] {
  const payments = secret === undefined ? [] : [{ owner: 'payments', setting: 'STRIPE_WEBHOOK_SECRET', secret, forged: 'payments' }];
  const reports = accounts.flatMap((account) => {
    const found = callbackSecretOf(account);
    return found === null ? [] : [{ owner: account.name, ...found, forged: 'delivery reports' }];
  });
  return [...payments, ...reports]
    .filter((each) => each.secret.length < callbackSecretMin)
    .map(({ owner, setting, forged }) => ({
      state: 'warning',
      subject: `callback secret of ${owner}`,
      text: `${setting} has fewer than ${callbackSecretMin} characters: others can guess it and forge ${forged}`,
      fix: 'Set the complete secret, as the provider shows it',
    }));
}
