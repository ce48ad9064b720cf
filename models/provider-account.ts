/** Accounts with providers: the kinds there are, the channels they serve, what each needs to know. */
import type { Channel } from './config.js';

interface Named {
  /** Unique. Stands in the rows of its messages and in the path of its callbacks. */
  name: string;
}

/** `apiBase`: scheme, host and port of the provider; another one for a host that speaks the same protocol. */
export type ProviderAccount = Named &
  (
    | { kind: 'sandbox' }
    | {
        kind: 'twilio';
        apiBase: string;
        accountSid: string;
        authToken: string;
        smsFrom: string | undefined;
        whatsappFrom: string | undefined;
      }
    | { kind: 'meta'; apiBase: string; phoneNumberId: string; accessToken: string; appSecret: string; verifyToken: string }
    | { kind: 'smtp'; url: string; from: string }
    | {
        kind: 'ses';
        apiBase: string;
        region: string;
        accessKeyId: string;
        secretAccessKey: string;
        configurationSet: string | undefined;
        topicArn: string;
        from: string;
      }
    | { kind: 'sendgrid'; apiBase: string; apiKey: string; webhookKey: string; from: string }
    | { kind: 'postmark'; apiBase: string; serverToken: string; messageStream: string; webhookCredentials: string; from: string }
  );

export type ProviderKind = ProviderAccount['kind'];
export type AccountOf<Kind extends ProviderKind> = Extract<ProviderAccount, { kind: Kind }>;

/** Kind of provider → channel that it serves → settings without which it cannot. */
export const settingsNeeded: Readonly<Record<ProviderKind, Partial<Record<Channel, readonly string[]>>>> = (() => {
  const twilio = ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN'];
  return {
    sandbox: { sms: [], whatsapp: [], email: [] },
    twilio: { sms: [...twilio, 'TWILIO_FROM'], whatsapp: [...twilio, 'TWILIO_WHATSAPP_FROM'] },
    meta: { whatsapp: ['META_PHONE_NUMBER_ID', 'META_ACCESS_TOKEN', 'META_APP_SECRET', 'META_VERIFY_TOKEN'] },
    smtp: { email: ['EMAIL_FROM', 'SMTP_URL'] },
    ses: { email: ['EMAIL_FROM', 'SES_REGION', 'SES_ACCESS_KEY_ID', 'SES_SECRET_ACCESS_KEY', 'SES_TOPIC_ARN'] },
    sendgrid: { email: ['EMAIL_FROM', 'SENDGRID_API_KEY', 'SENDGRID_WEBHOOK_KEY'] },
    postmark: { email: ['EMAIL_FROM', 'POSTMARK_SERVER_TOKEN', 'POSTMARK_WEBHOOK_CREDENTIALS'] },
  };
})();

/** Kinds of providers that serve a channel. */
export const kindsFor = (channel: Channel): string[] =>
  Object.entries(settingsNeeded).flatMap(([kind, channels]) => (channel in channels ? [kind] : []));

// oxlint-disable-next-line typescript/no-explicit-any -- the values were just checked against the settings
type Values = Readonly<Record<string, any>>;

/** Settings → account, by kind. The settings were checked: what the kind needs for its channel is there. */
const accountFrom: { readonly [Kind in ProviderKind]: (value: Values) => Omit<AccountOf<Kind>, 'name' | 'kind'> } = {
  sandbox: () => ({}),
  twilio: (value) => ({
    apiBase: value.TWILIO_API_BASE,
    accountSid: value.TWILIO_ACCOUNT_SID,
    authToken: value.TWILIO_AUTH_TOKEN,
    smsFrom: value.TWILIO_FROM,
    whatsappFrom: value.TWILIO_WHATSAPP_FROM,
  }),
  meta: (value) => ({
    apiBase: value.META_API_BASE,
    phoneNumberId: value.META_PHONE_NUMBER_ID,
    accessToken: value.META_ACCESS_TOKEN,
    appSecret: value.META_APP_SECRET,
    verifyToken: value.META_VERIFY_TOKEN,
  }),
  smtp: (value) => ({ url: value.SMTP_URL, from: value.EMAIL_FROM }),
  ses: (value) => ({
    apiBase: value.SES_API_BASE ?? `https://email.${value.SES_REGION}.amazonaws.com`,
    region: value.SES_REGION,
    accessKeyId: value.SES_ACCESS_KEY_ID,
    secretAccessKey: value.SES_SECRET_ACCESS_KEY,
    configurationSet: value.SES_CONFIGURATION_SET,
    topicArn: value.SES_TOPIC_ARN,
    from: value.EMAIL_FROM,
  }),
  sendgrid: (value) => ({
    apiBase: value.SENDGRID_API_BASE,
    apiKey: value.SENDGRID_API_KEY,
    webhookKey: value.SENDGRID_WEBHOOK_KEY,
    from: value.EMAIL_FROM,
  }),
  postmark: (value) => ({
    apiBase: value.POSTMARK_API_BASE,
    serverToken: value.POSTMARK_SERVER_TOKEN,
    messageStream: value.POSTMARK_MESSAGE_STREAM,
    webhookCredentials: value.POSTMARK_WEBHOOK_CREDENTIALS,
    from: value.EMAIL_FROM,
  }),
};

/** The account of a kind, named like it. */
export const accountOf = (kind: ProviderKind, value: Values): ProviderAccount =>
  ({ name: kind, kind, ...accountFrom[kind](value) }) as ProviderAccount;
