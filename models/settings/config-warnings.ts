/** Mistakes in settings that are valid. The API logs them when it starts, and `npm run doctor` prints them. */
import { keyMode } from '../rules/billing/key-mode.js';
import type { Config } from './config.js';
import { channelSetting } from './provider-account.js';

export interface ConfigWarning {
  /** For the doctor. `failed`: messages or payments are affected. */
  state: 'failed' | 'warning';
  /** What the settings are about: `channel sms`. */
  subject: string;
  text: string;
  /** What to do about it. */
  fix: string;
}

type Warned = Pick<Config, 'sandboxChannels' | 'isSandboxOnly' | 'stripe'>;

/** Finds settings that do not fit together. */
export const configWarnings = (config: Warned): ConfigWarning[] => [
  ...sandboxWarnings(config),
  ...stripeWarnings(config.stripe),
  ...modeWarnings(config),
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
