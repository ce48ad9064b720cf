/** Single messages: send, list, get and cancel them. */
import Joi from 'joi';
import { channels } from '../../../models/channels.js';
import type { AppError } from '../../../models/errors.js';
import { apiMetrics } from '../../../models/metrics/catalogue.js';
import { Message } from '../../../models/tables/message.js';
import { chainOf } from '../../../models/operations/messages/fallback-chain.js';
import { cancelMessage } from '../../../models/operations/messages/cancel-message.js';
import { type HistoryFilters, listMessages } from '../../../models/operations/messages/list-messages.js';
import { channelsOf } from '../../../models/rules/messages/fallback.js';
import { publicStatuses } from '../../../models/rules/messages/status.js';
import { mapRows } from '../../../models/rules/values/list-window.js';
import { workflowIds } from '../../../workflows/contract.js';
import { type AcceptedMessage, acceptMessage, findAccepted } from '../../accept/accept.js';
import type { Deps } from '../../deps.js';
import { endpoint, list } from '../../declare.js';
import { apiKey } from '../../http/endpoint.js';
import { idempotentReply } from '../../http/reply.js';
import type { Caller } from '../../http/caller.js';
import { digestRequest } from '../../http/idempotency.js';
import { recipientInQuery } from '../../http/schemas/recipients.js';
import { bound, dataOf, uuid, enumOf } from '../../http/schemas/schemas.js';
import { assertAllowedCountries, assertChannels } from '../../auth/sending-rules.js';
import { text } from '../../http/schemas/validation.js';
import { type SendBody, sendBody } from './message-schemas.js';
import { messageResponse, presentAcceptedMessage, presentChain, presentMessage } from './message-view.js';
import { fallbackSteps, recipientFields } from './fallback.js';
import { type RequestHead, newMessage, scopeForContact } from './new-message.js';
import { assertTemplateSupported } from './template-support.js';
import { noteUnusedContent } from './unused-content.js';
import { withVariables } from './with-variables.js';

const oneMessage = dataOf('message', messageResponse);

export const sendMessageEndpoint = endpoint({
  id: 'sendMessage',
  tag: 'messages',
  method: 'post',
  path: '/api/v1/messages/send',
  summary: 'Send one message',
  auth: apiKey('send_messages'),
  body: sendBody,
  sends: true,
  gated: true,
  extraScope: scopeForContact,
  examine: (checked, deps) => withVariables(noteUnusedContent(checked), deps),
  idempotent: true,
  response: oneMessage,
  status: 201,
  async handler({ caller, body, refusal, idempotencyKey, newId, traceparent }, deps) {
    assertChannels(caller, channelsOf(body));
    const digest = idempotencyKey === null ? null : digestRequest(asWritten(body));
    // The former version stored the digest with the rendered content, and its messages may be repeated after an upgrade. Remove this digest one
    // version later.
    const former = idempotencyKey === null || body.written === undefined ? null : digestRequest(body);
    const digests = [digest, former];
    const earlier = await findAccepted(deps, caller, idempotencyKey, digests);
    const { row, isReplay } =
      earlier ?? (await accept(deps, caller, { body, refusal, digests }, { newId, traceparent, idempotencyKey, digest }));
    if (isReplay) apiMetrics.accepts.inc({ channel: row.channel, outcome: 'repeated' });
    return idempotentReply({ message: presentAcceptedMessage(row) }, isReplay);
  },
});

/** The request without its rendered content, which settings and later versions can change: a repeat must still equal the first request. */
const asWritten = ({ written, ...body }: SendBody): SendBody => ({ ...body, content: written ?? body.content });

/** @throws AppError the refusal, if nothing else is wrong */
async function accept(
  deps: Deps,
  caller: Caller,
  { body, refusal, digests }: { body: SendBody; refusal: AppError | null; digests: readonly (Buffer | null)[] },
  head: RequestHead,
): Promise<AcceptedMessage> {
  assertTemplateSupported(deps.config, body);
  const message = await newMessage(caller, body, head);
  const steps = await fallbackSteps(caller.workspaceId, body);
  assertAllowedCountries(caller, recipientFields(body, message.to, steps));
  if (refusal !== null) throw refusal;
  return acceptMessage(deps, caller, { message, fallback: steps, digests });
}

export const listMessagesEndpoint = list({
  id: 'listMessages',
  tag: 'messages',
  path: '/api/v1/messages',
  summary: 'List messages, newest first',
  auth: apiKey('read_messages'),
  name: 'messages',
  row: messageResponse,
  filters: Joi.object<HistoryFilters>({
    status: enumOf('MessageStatus', publicStatuses, text()).description('Only messages with this status'),
    channel: enumOf('Channel', channels, text()).description('Only messages on this channel'),
    to: recipientInQuery().description('Exact phone number, or e-mail address in any letter case'),
    reference: text().description('Exact reference'),
    batch_id: uuid('batch_id').description('Only messages of this bulk send'),
    start_date: bound('first'),
    end_date: bound('last'),
  }),
  find: async ({ caller, filters, window }, { db }) => mapRows(await listMessages(db, caller.workspaceId, filters, window), presentMessage),
});

export const getMessageEndpoint = endpoint({
  id: 'getMessage',
  tag: 'messages',
  method: 'get',
  path: '/api/v1/messages/:id',
  summary: 'Get a message',
  auth: apiKey('read_messages'),
  response: oneMessage,
  async handler({ caller, params }, { db }) {
    const row = await Message.decided(caller.workspaceId, params.id);
    return { message: { ...presentMessage(row), ...presentChain(await chainOf(db, row)) } };
  },
});

export const cancelMessageEndpoint = endpoint({
  id: 'cancelMessage',
  tag: 'messages',
  method: 'post',
  path: '/api/v1/messages/:id/cancel',
  summary: 'Cancel a message that is not yet handed to the carrier; its credits are refunded',
  auth: apiKey('send_messages'),
  response: oneMessage,
  async handler({ caller, params }, { db, temporal, logger }) {
    const { message, isNew } = await cancelMessage(db, caller.workspaceId, params.id);
    // The cancel is stored already. If the signal to the workflow fails, the workflow reads the cancel from the database later. Repeated calls send
    // no signal: each would lengthen the history of a workflow that others may share.
    if (isNew) {
      await temporal
        .notifyCancelled(workflowIds.group(message))
        .catch((err: unknown) => logger.warn({ err }, 'the workflow was not signalled; it will read the cancel from the database'));
    }
    return { message: presentMessage(message) };
  },
});
