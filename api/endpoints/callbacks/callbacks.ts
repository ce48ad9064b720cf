/** Delivery reports of providers. A report is verified and stored before the response is sent. */
import Joi from 'joi';
import { AppError, notFound } from '../../../models/errors.js';
import { applyOptRequests } from '../../../models/operations/contacts/apply-opt-requests.js';
import type { ProviderAccount } from '../../../models/rules/routing/provider-kinds.js';
import { callbackBytesMax, checkHead } from '../../../models/rules/callbacks/before-body.js';
import type { CallbackEvent, CallbackReader, CallbackRequest } from '../../../models/rules/callbacks/callback.js';
import { readerOf } from '../../../models/rules/callbacks/reader-of.js';
import { sandboxAccount } from '../../../models/rules/callbacks/sandbox.js';
import { Sha1RefusedError } from '../../../models/rules/callbacks/sns.js';
import type { Deps } from '../../deps.js';
import { endpoint } from '../../declare.js';
import { named } from '../../http/schemas/json-schema.js';
import { Reply } from '../../http/reply.js';

/** @throws AppError 404 when there is no such account, or it has no callbacks */
function readerFor(name: string, { config, sns }: Deps): { account: ProviderAccount; read: CallbackReader } {
  const { accounts, secretKeys } = config;
  const account = [sandboxAccount, ...accounts].find((each) => each.name === name);
  const read = account === undefined ? null : readerOf(account, { secretKeys, accounts, certificateAt: sns.certificateAt });
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

/** Twilio interprets the response to an incoming message as instructions, so the response to it is empty. */
const readsAnswers = (name: string, { config }: Deps) => config.accounts.some((each) => each.name === name && each.kind === 'twilio');

export const receiveDeliveryReportsEndpoint = endpoint({
  id: 'receiveDeliveryReports',
  tag: 'callbacks',
  method: 'post',
  path: '/callbacks/:provider',
  summary: 'Receive delivery reports of a carrier',
  auth: 'provider',
  rate: 'callback',
  checkHead: ({ params, headers }, deps) => checkHead(readerFor(params.provider ?? '', deps).account, headers),
  bodyBytesMax: ({ params }, deps) => callbackBytesMax[readerFor(params.provider ?? '', deps).account.kind],
  mayBeEmpty: true,
  response: named('DeliveryReportsData', Joi.object({ received: Joi.number().integer().required() })),
  async handler({ params, signed }, deps) {
    const events = await eventsOf(params.provider, signed, deps);
    for (const event of events) if (event.kind === 'confirmation') await deps.sns.confirm(event.url);
    const reports = events.filter((event) => event.kind === 'report');
    await deps.reportInbox.store(reports);
    await applyOptRequests(deps.db, deps.config.secretKeys, events);
    const answer = { received: events.length };
    return readsAnswers(params.provider, deps) && events.some(({ kind }) => kind === 'inbound')
      ? new Reply({ data: answer }, { status: 204 })
      : answer;
  },
});
