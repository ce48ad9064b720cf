/** Meta's WhatsApp Cloud API: accepts the requests that its OpenAPI document (business-messaging-api v23.0) allows, and posts signed webhooks. */
import { createHmac, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Counterpart, post, reply, startCounterpart, type Taken } from './counterpart.js';

interface WhatsappMessage {
  to: string;
  type: string;
  text?: { body: string };
  template?: { name: string; language: { code: string }; components?: object[] };
  biz_opaque_callback_data?: string;
}

export interface TakenWhatsapp {
  id: string;
  message: WhatsappMessage;
}

export interface MetaCounterpart extends Counterpart {
  taken: TakenWhatsapp[];
  /** May answer a request for a message. @returns true: the request is handled */
  interfere: (response: ServerResponse, message: WhatsappMessage) => boolean;
  /** Posts a signed webhook with this `value`. @returns the status of the response */
  tell(callbackUrl: string, value: object, secret?: string): Promise<number>;
}

export const metaAccount = {
  phoneNumberId: '106540352242922',
  accessToken: 'access-token-of-the-tests',
  appSecret: 'app-secret-of-the-tests',
  verifyToken: 'verify-token-of-the-tests',
};
export const metaEnv = ({ url }: Pick<Counterpart, 'url'>): Record<string, string> => ({
  PROVIDER_WHATSAPP: 'meta',
  META_PHONE_NUMBER_ID: metaAccount.phoneNumberId,
  META_ACCESS_TOKEN: metaAccount.accessToken,
  META_APP_SECRET: metaAccount.appSecret,
  META_VERIFY_TOKEN: metaAccount.verifyToken,
  META_API_BASE: url,
});

/** A webhook in the format of Meta, and its signature. */
export function notice(value: object, { secret = metaAccount.appSecret, sender = metaAccount.phoneNumberId, field = 'messages' } = {}) {
  const metadata = { display_phone_number: '1 555-078-3881', phone_number_id: sender };
  const changes = [{ field, value: { messaging_product: 'whatsapp', metadata, ...value } }];
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '102290129340398', changes }] });
  return { body, signature: `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` };
}

/** An id as Meta gives to messages: it contains the number of the recipient in base64. */
export const messageIdFor = (to: string): string => {
  const number = Buffer.from(to.replace('+', ''));
  const head = Buffer.from([0x1c, 0x18, number.length]);
  const tail = Buffer.from([0x15, 0x02, 0x00, 0x11, 0x18, 0x12]);
  return `wamid.${Buffer.concat([head, number, tail, randomBytes(9)]).toString('base64')}`;
};

/** An error response in the format of Meta. */
export const refuse = (response: ServerResponse, status: number, code: number): true =>
  reply(response, status, { error: { message: `(#${code}) Refused`, type: 'OAuthException', code, fbtrace_id: 'Az8or2yhqkZfEZ' } });

const text = { type: 'string', minLength: 1 };
const closed = (properties: object, required: string[]) => ({ type: 'object', properties, required, additionalProperties: false });
const line = { ...text, pattern: '^[^\\n\\t]*$' };
const textParameter = closed({ type: { const: 'text' }, text: line, parameter_name: text }, ['type', 'text']);
const link = { type: 'string', pattern: '^https?://' };
const fileParameter = (type: string, properties: object = {}) =>
  closed({ type: { const: type }, [type]: closed({ link, ...properties }, ['link']) }, ['type', type]);
const headerParameter = {
  oneOf: [textParameter, fileParameter('image'), fileParameter('video'), fileParameter('document', { filename: text })],
};
const buttonOf = (sub_type: string, parameter: object) => ({
  type: { const: 'button' },
  sub_type: { const: sub_type },
  // A string in the document and in all its examples.
  index: { type: 'string', pattern: '^[0-9]$' },
  parameters: { type: 'array', items: parameter, minItems: 1, maxItems: 1 },
});
const buttonFields = ['type', 'sub_type', 'index', 'parameters'];
const component = {
  oneOf: [
    closed({ type: { const: 'header' }, parameters: { type: 'array', items: headerParameter, minItems: 1, maxItems: 1 } }, ['type']),
    closed({ type: { const: 'body' }, parameters: { type: 'array', items: textParameter, minItems: 1 } }, ['type']),
    closed(buttonOf('url', closed({ type: { const: 'text' }, text: line }, ['type', 'text'])), buttonFields),
    closed(buttonOf('quick_reply', closed({ type: { const: 'payload' }, payload: text }, ['type', 'payload'])), buttonFields),
  ],
};
const kinds = {
  text: {
    type: 'object',
    properties: { body: { ...text, maxLength: 4096 }, preview_url: { type: 'boolean' } },
    required: ['body'],
    additionalProperties: false,
  },
  template: {
    type: 'object',
    properties: {
      name: text,
      language: {
        type: 'object',
        properties: { policy: { const: 'deterministic' }, code: text },
        required: ['policy', 'code'],
        additionalProperties: false,
      },
      components: { type: 'array', items: component },
    },
    required: ['name', 'language'],
    additionalProperties: false,
  },
};
const common = {
  messaging_product: { const: 'whatsapp' },
  recipient_type: { const: 'individual' },
  to: { type: 'string', pattern: '^\\+?[1-9]\\d{6,14}$' },
  biz_opaque_callback_data: { type: 'string', maxLength: 512 },
};
const isMessage: (message: object) => unknown = new Ajv2020({ strict: false }).compile({
  oneOf: Object.entries(kinds).map(([kind, schema]) => ({
    type: 'object',
    properties: { ...common, type: { const: kind }, [kind]: schema },
    required: ['messaging_product', 'recipient_type', 'to', 'type', kind],
    additionalProperties: false,
  })),
});

export async function startMeta(): Promise<MetaCounterpart> {
  const counterpart: MetaCounterpart = {
    ...(await startCounterpart(answer)),
    taken: [],
    interfere: () => false,
    tell: (callbackUrl, value, secret) => {
      const { body, signature } = notice(value, secret === undefined ? {} : { secret });
      return post(callbackUrl, body, { 'Content-Type': 'application/json', 'X-Hub-Signature-256': signature });
    },
  };

  function answer({ method, path, headers, body }: Taken, response: ServerResponse) {
    if (headers.authorization !== `Bearer ${metaAccount.accessToken}`) return refuse(response, 401, 190);
    if (method !== 'POST' || path !== `/v23.0/${metaAccount.phoneNumberId}/messages`) return refuse(response, 404, 100);
    const message: WhatsappMessage = JSON.parse(body);
    if (counterpart.interfere(response, message)) return;
    if (isMessage(message) !== true) return refuse(response, 400, 100);
    const id = messageIdFor(message.to);
    counterpart.taken.push({ id, message });
    const contacts = [{ input: message.to, wa_id: message.to.replace('+', '') }];
    return reply(response, 200, { messaging_product: 'whatsapp', contacts, messages: [{ id }] });
  }
  return counterpart;
}
