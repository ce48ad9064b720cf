/** Twilio, Meta and SES with their fronts. None of them has idempotency keys, and none can be queried about a call. */
import type { ServerResponse } from 'node:http';
import type { Counterpart, Taken } from '../../support/carriers/counterpart.js';
import { metaEnv, refuse as refuseByMeta, startMeta } from '../../support/carriers/meta.js';
import { refuse as refuseBySes, sesEnv, sesEvent, startSes } from '../../support/carriers/ses.js';
import { refuse as refuseByTwilio, startTwilio, twilioEnv } from '../../support/carriers/twilio.js';
import { tokenIn } from '../history.js';
import { startFront } from './front.js';
import type { CarrierDeps, Opened } from './carrier.js';
import type { Status } from './reporter.js';

/** The codes for "this recipient does not exist": a permanent failure. */
const unknownRecipient = { twilio: 21211, meta: 131026 };

export async function openTwilio(deps: CarrierDeps): Promise<Opened> {
  const counterpart = await startTwilio();
  const name = { carrier: 'twilio', account: 'twilio', channel: 'sms' } as const;
  const words: Record<Status, string> = { sent: 'sent', delivered: 'delivered', failed: 'undelivered', read: 'delivered' };
  const read = ({ method, body }: Taken) => {
    const form = new URLSearchParams(body);
    const account = accountIn(form.get('StatusCallback') ?? '');
    return method === 'POST' ? { token: tokenIn(form.get('Body') ?? '') ?? '', to: form.get('To') ?? '', account } : null;
  };
  const protocol = {
    name,
    read,
    idIn: (answer: unknown) => (answer as { sid: string }).sid,
    refuse: (response: ServerResponse) => void refuseByTwilio(response, 400, unknownRecipient.twilio),
  };
  const front = await startFront(counterpart, protocol, {
    ...deps,
    onTaken: (providerId) => {
      const message = counterpart.taken.find(({ sid }) => sid === providerId);
      if (message === undefined) return;
      const post = (status: Status, isGenuine: boolean) =>
        counterpart.report(message, words[status], {
          ...(status === 'failed' ? { errorCode: 30003 } : {}),
          ...(isGenuine ? {} : { token: 'not-the-token' }),
        });
      deps.reporter.taken({ ...name, account: accountIn(message.form.StatusCallback ?? ''), providerId, reads: false, post });
    },
  });
  return openedAs(deps, counterpart, front, (url) => {
    const { PROVIDER_WHATSAPP: _, ...settings } = twilioEnv({ url });
    return settings;
  });
}

/** Each account names its own callback address: `…/callbacks/backup?message_id=…`. */
const accountIn = (callbackUrl: string) => /\/callbacks\/(\w+)/.exec(callbackUrl)?.[1] ?? 'twilio';

export async function openMeta(deps: CarrierDeps): Promise<Opened> {
  const counterpart = await startMeta();
  const name = { carrier: 'meta', account: 'meta', channel: 'whatsapp' } as const;
  const read = ({ method, body }: Taken) => {
    const message = JSON.parse(body || '{}') as { to?: string; text?: { body: string } };
    return method === 'POST' ? { token: tokenIn(message.text?.body ?? '') ?? '', to: message.to ?? '' } : null;
  };
  const protocol = {
    name,
    read,
    idIn: (answer: unknown) => (answer as { messages: { id: string }[] }).messages[0]?.id ?? '',
    refuse: (response: ServerResponse) => void refuseByMeta(response, 400, unknownRecipient.meta),
  };
  const front = await startFront(counterpart, protocol, {
    ...deps,
    onTaken: (providerId) => {
      const echo = counterpart.taken.find(({ id }) => id === providerId)?.message.biz_opaque_callback_data;
      const post = (status: Status, isGenuine: boolean) => {
        const failure = status === 'failed' ? { errors: [{ code: unknownRecipient.meta }] } : {};
        const timestamp = String(Math.floor(Date.now() / 1000));
        const statuses = [{ id: providerId, status, timestamp, biz_opaque_callback_data: echo, ...failure }];
        return counterpart.tell(`${deps.publicUrl}/callbacks/meta`, { statuses }, isGenuine ? undefined : 'not-the-secret');
      };
      deps.reporter.taken({ ...name, providerId, reads: true, post });
    },
  });
  return openedAs(deps, counterpart, front, (url) => metaEnv({ url }));
}

export async function openSes(deps: CarrierDeps): Promise<Opened> {
  const counterpart = await startSes();
  const name = { carrier: 'ses', account: 'ses', channel: 'email' } as const;
  const read = ({ method, body }: Taken) => {
    if (method !== 'POST') return null;
    const mail = JSON.parse(body || '{}');
    return { token: tokenIn(mail.Content?.Simple?.Body?.Text?.Data ?? '') ?? '', to: mail.Destination?.ToAddresses?.[0] ?? '' };
  };
  const protocol = {
    name,
    read,
    idIn: (answer: unknown) => (answer as { MessageId: string }).MessageId,
    refuse: (response: ServerResponse) => void refuseBySes(response, 400, 'MessageRejected'),
  };
  const front = await startFront(counterpart, protocol, {
    ...deps,
    onTaken: (providerId) => {
      const tags = counterpart.taken.find(({ id }) => id === providerId)?.mail.EmailTags ?? [];
      const post = (status: Status, isGenuine: boolean) =>
        counterpart.tell(
          `${deps.publicUrl}/callbacks/ses`,
          sesTold(status, providerId, tags),
          isGenuine ? {} : { Timestamp: '2026-01-02T03:04:05.000Z' },
        );
      deps.reporter.taken({ ...name, providerId, reads: false, post });
    },
  });
  return openedAs(deps, counterpart, front, (url) => ({ ...sesEnv({ url }), SES_SNS_BASE: counterpart.url }));
}

function sesTold(status: Status, id: string, tags: readonly { Name: string; Value: string }[]): Record<string, string> {
  const timestamp = new Date().toISOString();
  const mail = {
    timestamp,
    messageId: id,
    source: 'hello@example.test',
    destination: [],
    tags: Object.fromEntries(tags.map(({ Name, Value }) => [Name, [Value]])),
  };
  if (status === 'sent') return sesEvent('Send', id, { mail });
  if (status === 'failed')
    return sesEvent('Bounce', id, { mail, bounce: { bounceType: 'Transient', bounceSubType: 'General', timestamp } });
  return sesEvent('Delivery', id, { mail, delivery: { timestamp } });
}

/** The counterpart behind its front. @param settings of a service that reaches the front at this address */
function openedAs(
  deps: CarrierDeps,
  counterpart: Counterpart,
  front: Counterpart,
  settings: (url: string) => Record<string, string>,
): Opened {
  return {
    behaviour: deps.behaviour,
    address: new URL(front.url).host,
    settings: (address) => settings(`http://${address}`),
    close: async () => {
      await front.close();
      await counterpart.close();
    },
  };
}
