/** Delivery reports of providers. A report is verified and stored before the response is sent. */
import Joi from 'joi';
import type { Database } from '../../models/db/database.js';
import { AppError, notFound } from '../../models/errors.js';
import { erasureKey } from '../../models/operations/erasure/erasure-key.js';
import { recordOptIn, recordOptOut } from '../../models/operations/contacts/record-opt-outs.js';
import type { ProviderAccount } from '../../models/rules/routing/provider-kinds.js';
import { checkHead } from '../../models/rules/callbacks/before-body.js';
import type { CallbackEvent, CallbackReader, CallbackRequest } from '../../models/rules/callbacks/callback.js';
import { readerOf } from '../../models/rules/callbacks/reader-of.js';
import { sandboxProvider } from '../../models/rules/callbacks/sandbox.js';
import { Sha1RefusedError } from '../../models/rules/callbacks/sns.js';
import { digestOf } from '../../models/rules/contacts/erasure.js';
import { recipientKey } from '../../models/rules/messages/recipient.js';
import { keywordOf } from '../../models/rules/contacts/suppression.js';
import type { Deps } from '../deps.js';
import { endpoint } from '../declare.js';
import { named } from '../http/schemas/json-schema.js';
import { Reply } from '../http/reply.js';

/** The sandbox account. It always accepts reports, also for messages sent before another provider was configured. */
export const sandbox = { name: sandboxProvider, kind: 'sandbox' } as const;

/** @throws AppError 404 when there is no such account, or it has no callbacks */
function readerFor(name: string, { config, sns }: Deps): { account: ProviderAccount; read: CallbackReader } {
  const { accounts, secretKey } = config;
  const account = [sandbox, ...accounts].find((each) => each.name === name);
  const read = account === undefined ? null : readerOf(account, { secretKey, accounts, certificateAt: sns.certificateAt });
  if (account === undefined || read === null) throw notFound();
  return { account, read };
}

/** Verifies and reads a callback. @throws AppError what its reader throws */
async function eventsOf(provider: string, signed: Omit<CallbackRequest, 'at'>, deps: Deps): Promise<CallbackEvent[]> {
  try {
    return await readerFor(provider, deps).read({ ...signed, at: new Date() });
  } catch (error) {
    // A topic signs with SHA-1 until its owner changes that, and SNS reports to its owner only that callbacks fail.
    if (error instanceof AppError && error.cause instanceof Sha1RefusedError)
      deps.logger.warn(
        { provider },
        'a callback was refused: SNS signed it with SHA-1; set SignatureVersion 2 on the topic (docs/carriers.md)',
      );
    throw error;
  }
}

/** Handles replies of recipients: STOP suppresses, START removes the suppression. Other replies are not stored. */
async function hearRecipients({ db, config }: Deps, events: readonly CallbackEvent[]): Promise<void> {
  const replies = events.filter((event) => event.kind === 'opt_out' || event.kind === 'inbound');
  if (replies.length === 0) return;
  const key = await erasureKey(db, config.secretKeys);
  for (const reply of replies) await (reply.kind === 'opt_out' ? hearOptOut(db, key, reply) : hearText(db, key, reply));
}

/** The provider itself has recognized the wish of the recipient. */
async function hearOptOut(db: Database, key: Buffer, event: Extract<CallbackEvent, { kind: 'opt_out' }>): Promise<void> {
  const digest = (to: string) => digestOf(key, recipientKey(event.channel, to));
  const reason = event.reason === 'complaint' ? 'complaint' : 'opt_out';
  const erased_message_id = event.provider_message_id === null ? null : digestOf(key, event.provider_message_id);
  await recordOptOut(db, { ...event, digest, erased_message_id, reason, source: 'provider' });
}

async function hearText(db: Database, key: Buffer, event: Extract<CallbackEvent, { kind: 'inbound' }>): Promise<void> {
  const { provider, channel, from: recipient, text } = event;
  const keyword = keywordOf(text);
  if (keyword === null) return;
  const wish = { provider, channel, recipient, digest: (to: string) => digestOf(key, recipientKey(channel, to)) };
  if (keyword === 'start') await recordOptIn(db, wish);
  else await recordOptOut(db, { ...wish, message_id: null, provider_message_id: null, reason: 'opt_out', source: 'inbound' });
}

/** Twilio interprets the response to an incoming message as instructions, so the response to it is empty. */
const readsAnswers = (name: string, { config }: Deps) => config.accounts.some((each) => each.name === name && each.kind === 'twilio');

export const receiveReports = endpoint({
  id: 'receiveDeliveryReports',
  tag: 'callbacks',
  method: 'post',
  path: '/callbacks/:provider',
  summary: 'Receive delivery reports of a provider',
  auth: 'provider',
  rate: 'callback',
  bodyBytesMax: 1024 * 1024,
  admit: ({ params, headers }, deps) => checkHead(readerFor(params.provider ?? '', deps).account, headers),
  mayBeEmpty: true,
  refusals: [400, 403, 413],
  response: named('DeliveryReportsData', Joi.object({ received: Joi.number().integer().required() })),
  async handler({ params, signed }, deps) {
    const events = await eventsOf(params.provider, signed, deps);
    for (const event of events) if (event.kind === 'confirmation') await deps.sns.confirm(event.url);
    const reports = events.filter((event) => event.kind === 'report');
    await deps.reportInbox.store(reports);
    await hearRecipients(deps, events);
    const answer = { received: events.length };
    return readsAnswers(params.provider, deps) && events.some(({ kind }) => kind === 'inbound')
      ? new Reply(answer, { status: 204 })
      : answer;
  },
});
