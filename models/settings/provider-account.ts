/** Accounts with providers: the channels that each kind serves, and its settings. */
import { type Channel, forEachChannel } from '../channels.js';
import type { AccountOf, ProviderAccount, ProviderKind } from '../rules/routing/provider-kinds.js';
import type { CarrierSetting } from './carrier-settings.js';
import type { CheckedSettings } from './setting-kinds.js';

/** Kind of provider → channel that it serves → required settings. */
export const settingsNeeded: Readonly<Record<ProviderKind, Partial<Record<Channel, readonly CarrierSetting[]>>>> = {
  sandbox: forEachChannel(() => []),
  twilio: {
    sms: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'],
    whatsapp: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_WHATSAPP_FROM'],
  },
  meta: { whatsapp: ['META_PHONE_NUMBER_ID', 'META_ACCESS_TOKEN', 'META_APP_SECRET', 'META_VERIFY_TOKEN'] },
  smtp: { email: ['EMAIL_FROM', 'EMAIL_SMTP_URL'] },
  ses: { email: ['EMAIL_FROM', 'SES_REGION', 'SES_ACCESS_KEY_ID', 'SES_SECRET_ACCESS_KEY', 'SES_TOPIC_ARN'] },
  postmark: { email: ['EMAIL_FROM', 'POSTMARK_SERVER_TOKEN', 'POSTMARK_CALLBACK_PASSWORD'] },
  sendgrid: { email: ['EMAIL_FROM', 'SENDGRID_API_KEY', 'SENDGRID_VERIFICATION_KEY'] },
};

/** The name of a setting that every channel has, such as `PROVIDER_SMS`. */
export const channelSetting = (prefix: 'PROVIDER' | 'REPORT_TIMEOUT', channel: Channel) => `${prefix}_${channel.toUpperCase()}`;

/** The kinds of providers that serve a channel. */
export const kindsFor = (channel: Channel): string[] =>
  Object.entries(settingsNeeded).flatMap(([kind, channels]) => (channel in channels ? [kind] : []));

function amazonOf(region: string): string {
  if (region.startsWith('eusc-')) return 'amazonaws.eu';
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}

type Settings = Pick<CheckedSettings, CarrierSetting>;

/** Settings → account, by kind. The settings were checked: those that the kind requires for its channel are present. */
const accountFrom: { readonly [Kind in ProviderKind]: (value: Settings) => Omit<AccountOf<Kind>, 'name' | 'kind'> } = {
  sandbox: () => ({}),
  twilio: (value) => ({
    apiBase: value.TWILIO_API_BASE,
    accountSid: value.TWILIO_ACCOUNT_SID,
    authToken: value.TWILIO_AUTH_TOKEN,
    oldAuthToken: value.TWILIO_AUTH_TOKEN_OLD,
    senders: { sms: value.TWILIO_FROM, whatsapp: value.TWILIO_WHATSAPP_FROM },
  }),
  meta: (value) => ({
    apiBase: value.META_API_BASE,
    phoneNumberId: value.META_PHONE_NUMBER_ID,
    accessToken: value.META_ACCESS_TOKEN,
    appSecret: value.META_APP_SECRET,
    oldAppSecret: value.META_APP_SECRET_OLD,
    verifyToken: value.META_VERIFY_TOKEN,
  }),
  smtp: (value) => ({ url: value.EMAIL_SMTP_URL, from: value.EMAIL_FROM }),
  ses: (value) => ({
    apiBase: value.SES_API_BASE ?? `https://email.${value.SES_REGION}.${amazonOf(value.SES_REGION)}`,
    snsBase: value.SES_SNS_BASE ?? `https://sns.${value.SES_REGION}.${amazonOf(value.SES_REGION)}`,
    region: value.SES_REGION,
    accessKeyId: value.SES_ACCESS_KEY_ID,
    secretAccessKey: value.SES_SECRET_ACCESS_KEY,
    sessionToken: value.SES_SESSION_TOKEN,
    configurationSet: value.SES_CONFIGURATION_SET,
    topicArn: value.SES_TOPIC_ARN,
    allowsSha1: value.SES_SNS_SHA1 === 'allow',
    from: value.EMAIL_FROM,
  }),
  postmark: (value) => ({
    apiBase: value.POSTMARK_API_BASE,
    serverToken: value.POSTMARK_SERVER_TOKEN,
    messageStream: value.POSTMARK_MESSAGE_STREAM,
    from: value.EMAIL_FROM,
    callbackPassword: value.POSTMARK_CALLBACK_PASSWORD,
    oldCallbackPassword: value.POSTMARK_CALLBACK_PASSWORD_OLD,
  }),
  sendgrid: (value) => ({
    apiBase: value.SENDGRID_API_BASE,
    apiKey: value.SENDGRID_API_KEY,
    from: value.EMAIL_FROM,
    verificationKey: value.SENDGRID_VERIFICATION_KEY,
    oldVerificationKey: value.SENDGRID_VERIFICATION_KEY_OLD,
  }),
};

/** The account with this name and kind. */
export const accountOf = (name: string, kind: ProviderKind, value: CheckedSettings): ProviderAccount =>
  ({ name, kind, ...accountFrom[kind](value as Settings) }) as ProviderAccount;

/** What verifies callbacks: a secret, or the carrier's public key (SendGrid). */
interface CallbackSecret {
  setting: CarrierSetting;
  secret: string;
  /** Its former value, of the setting with `_OLD`. It is accepted too. */
  former: string | undefined;
}

/** The secret of the account's callbacks. Null if its settings have none. */
export function callbackSecretOf(account: ProviderAccount): CallbackSecret | null {
  switch (account.kind) {
    case 'twilio':
      return { setting: 'TWILIO_AUTH_TOKEN', secret: account.authToken, former: account.oldAuthToken };
    case 'meta':
      return { setting: 'META_APP_SECRET', secret: account.appSecret, former: account.oldAppSecret };
    case 'postmark':
      return { setting: 'POSTMARK_CALLBACK_PASSWORD', secret: account.callbackPassword, former: account.oldCallbackPassword };
    case 'sendgrid':
      return { setting: 'SENDGRID_VERIFICATION_KEY', secret: account.verificationKey, former: account.oldVerificationKey };
    case 'sandbox':
    case 'smtp':
    case 'ses':
      return null;
  }
}
