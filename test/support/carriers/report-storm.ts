/** Delivery reports for ten thousand callbacks, as real carriers send them, with the expected results. */
import fc from 'fast-check';
import twilio from 'twilio';
import type { ReportStatus } from '../../../models/rules/messages/status.js';
import { metaAccount, notice } from './meta.js';
import { signEvents } from './sendgrid.js';
import { twilioAccount } from './twilio.js';

/** A message with all reports of its carrier. */
export interface ReportedMessage {
  id: string;
  channel: ReportedChannel;
  providerMessageId: string;
  said: ReportStatus[];
}

/** One report of a message. */
export interface Statement {
  message: ReportedMessage;
  status: ReportStatus;
}

export interface Callback {
  path: string;
  body: string;
  headers: Record<string, string>;
  isForged: boolean;
}

/** The carriers whose reports are here. */
export const accountOf = { sms: 'twilio', whatsapp: 'meta', email: 'sendgrid' } as const;
export type ReportedChannel = keyof typeof accountOf;

const lives: ReportStatus[][] = [
  ['sent', 'delivered'],
  ['sent', 'failed'],
  ['sent'],
  ['delivered'],
  ['failed', 'delivered'],
  ['sent', 'delivered', 'failed'],
];
const whatsappLives: ReportStatus[][] = [
  ...lives,
  ['sent', 'delivered', 'read'],
  ['delivered', 'read'],
  ['sent', 'read'],
  ['sent', 'delivered', 'read'],
];

/** A random generator with a seed. */
export function chooser(seed: number) {
  const random = fc.sample(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { numRuns: 60_000, seed }).values();
  const next = () => random.next().value ?? 0;
  const choose = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T;
  return {
    chance: (share: number) => next() < share,
    choose,
    shuffled: <T>(items: readonly T[]): T[] =>
      items
        .map((item) => ({ item, at: next() }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ item }) => item),
    life: (channel: ReportedChannel) => choose(channel === 'whatsapp' ? whatsappLives : lives),
  };
}

/** The final status of a message, for any order of its reports: a delivery counts whenever it is reported. */
export function endOf({ said }: Pick<ReportedMessage, 'said'>): ReportStatus {
  const told = new Set(said);
  return (['read', 'delivered', 'failed'] as const).find((status) => told.has(status)) ?? 'sent';
}

const words: Readonly<Record<ReportedChannel, Partial<Record<ReportStatus, string>>>> = {
  sms: { sent: 'sent', delivered: 'delivered', failed: 'undelivered' },
  whatsapp: { sent: 'sent', delivered: 'delivered', failed: 'failed', read: 'read' },
  email: { sent: 'processed', delivered: 'delivered', failed: 'bounce' },
};

/** The reports of a channel as callbacks, with as many reports per callback as its carrier sends. */
export function callbacksOf(channel: ReportedChannel, statements: readonly Statement[], publicUrl: string, isForged = false): Callback[] {
  const size = channel === 'sms' ? 1 : 100;
  const pages = Array.from({ length: Math.ceil(statements.length / size) }, (_, page) => statements.slice(page * size, (page + 1) * size));
  return pages.map((page) => ({ ...callbackOf(channel, page, publicUrl, isForged), isForged }));
}

function callbackOf(channel: ReportedChannel, page: readonly Statement[], publicUrl: string, isForged: boolean) {
  const path = `/callbacks/${accountOf[channel]}`;
  if (channel === 'sms') return twilioCallback(path, page, publicUrl, isForged);
  const said = page.map(({ message, status }) => ({ message, word: words[channel][status] }));
  if (channel === 'whatsapp') {
    const statuses = said.map(({ message, word }) => ({
      id: message.providerMessageId,
      status: word,
      biz_opaque_callback_data: message.id,
    }));
    const { body, signature } = notice({ statuses }, { secret: isForged ? 'another-secret' : metaAccount.appSecret });
    return { path, body, headers: { 'X-Hub-Signature-256': signature } };
  }
  // The callback does not contain our id. The message is found by the id of the carrier.
  const body = JSON.stringify(
    said.map(({ message, word }) => ({ event: word, sg_message_id: message.providerMessageId, email: 'x@example.org' })),
  );
  return { path, body, headers: signEvents(isForged ? `${body} ` : body) };
}

function twilioCallback(path: string, [statement]: readonly Statement[], publicUrl: string, isForged: boolean) {
  const { message, status } = statement as Statement;
  const form = {
    MessageSid: message.providerMessageId,
    MessageStatus: words.sms[status] ?? '',
    To: '+15551234567',
    From: twilioAccount.from,
  };
  const address = `${path}?message_id=${message.id}`;
  const token = isForged ? 'another-token' : twilioAccount.token;
  const signature = twilio.getExpectedTwilioSignature(token, publicUrl + address, form);
  return { path: address, body: new URLSearchParams(form).toString(), headers: { 'X-Twilio-Signature': signature } };
}
