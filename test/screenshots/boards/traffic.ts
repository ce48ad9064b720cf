/** Ordinary traffic: sends on all channels, reads, mistakes of clients, and the reports of the carriers. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sender } from '../../../harness/load/sender.js';
import { timetable } from '../../../harness/load/timetable.js';
import type { Cleanup } from '../../../harness/stage/cleanup.js';
import type { TakenMessage, TwilioCounterpart } from '../../support/carriers/twilio.js';
import type { Installation, Tenant } from './installation.js';

const perSecond = 6;
/** Between two looks at what a carrier took. */
const lookMs = 200;

/** For what may fail in a run in which parts fail. */
const quietly = (work: Promise<unknown>): void => void work.catch(() => undefined);

/** Sends and reads for this time. Resolves when the last request has begun. */
export async function makeTraffic({ shop, poor }: Installation, seconds: number): Promise<void> {
  for await (const { number } of timetable(seconds, perSecond)) {
    if (isBusy(number)) quietly(shop.postMessage(messageOf(number)));
    if (number % 10 === 3) quietly(shop.call('GET', '/messages?limit=20'));
    if (number % 20 === 7) quietly(shop.postTo('/messages/preview', messageOf(number)));
    if (number % 30 === 11) quietly(shop.call('GET', `/messages/${randomUUID()}`));
    if (number % 40 === 17) quietly(shop.postMessage({ to: 'nobody', channel: 'sms' }));
    if (number % 40 === 23) quietly(poor.postMessage(messageOf(number)));
    if (number % 20 === 13) quietly(sendTwice(shop, number));
  }
}

/** More and fewer sends in turn, so that curves have a shape; the same ones in each run. */
const isBusy = (number: number): boolean => ((number * 7) % 10) / 10 < 0.65 + 0.35 * Math.sin(number / perSecond / 12);

async function sendTwice(shop: Sender, number: number): Promise<void> {
  const key = randomUUID();
  await shop.post(number, key);
  await shop.post(number, key);
}

const numberOf = (number: number) => `+1555${2_000_000 + number}`;

/** Half of them SMS. Some e-mails meet recipients with whom the sandbox fails (docs/contract/messages.md). */
function messageOf(number: number): object {
  const text = `Your order ${number} is on its way. It arrives tomorrow before noon.`;
  const kind = number % 8;
  if (kind < 4) return { to: numberOf(number), channel: 'sms', content: { text } };
  if (kind < 6) return { to: numberOf(number), channel: 'whatsapp', content: { text } };
  return { to: `${mailboxOf(number)}@example.com`, channel: 'email', content: { subject: 'Your order', text } };
}

function mailboxOf(number: number): string {
  if (number % 24 === 6) return 'bounce';
  if (number % 40 === 7) return 'flaky';
  return number % 56 === 14 ? 'silent' : `reader${number}`;
}

/** A batch of SMS. @param rate messages a second */
export const sendBatch = (shop: Sender, recipients: number, rate: number): Promise<unknown> =>
  shop.postBatch({
    channel: 'sms',
    content: { text: 'Dear {{ name }}, our spring catalogue is here.' },
    recipients: Array.from({ length: recipients }, (_, index) => ({ to: numberOf(100_000 + index), name: `Reader ${index}` })),
    rate,
  });

/** Reads faster than its rate limit allows. */
export async function askTooOften(eager: Tenant, seconds: number): Promise<void> {
  for await (const _ of timetable(seconds, 100)) quietly(eager.call('GET', '/messages?limit=1'));
}

/** Reports on the messages of a carrier, some seconds after it took them, as carriers do. */
export function reportOn(carrier: TwilioCounterpart, cleanup: Cleanup): void {
  let seen = 0;
  const timer = setInterval(() => {
    for (const message of carrier.taken.slice(seen)) quietly(reportLater(carrier, message, (seen += 1)));
  }, lookMs);
  cleanup.add(() => clearInterval(timer));
}

/** Of 25 messages one is never reported, and one cannot be delivered. */
async function reportLater(carrier: TwilioCounterpart, message: TakenMessage, number: number): Promise<void> {
  await sleep(400 + ((number * 37) % 10) * 300, undefined, { ref: false });
  if (number % 25 === 0) return;
  if (number % 25 === 12) return void (await carrier.report(message, 'undelivered', { errorCode: 30_005 }));
  await carrier.report(message, 'sent');
  await sleep(300, undefined, { ref: false });
  await carrier.report(message, 'delivered');
}

/** A report that names a message that the service did not send. */
export async function reportStray(carrier: TwilioCounterpart): Promise<void> {
  const [known] = carrier.taken;
  if (known === undefined) return;
  const address = new URL(known.form.StatusCallback ?? '');
  address.searchParams.delete('message_id');
  const sid = `SM${randomUUID().replaceAll('-', '')}`;
  await carrier.report({ ...known, sid, form: { ...known.form, StatusCallback: address.href } }, 'delivered');
}
