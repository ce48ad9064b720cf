/** The stream of status changes: server-sent events with the bodies that webhooks get. */
import Joi from 'joi';
import { invalidField, suspended } from '../../../models/errors.js';
import { openStream } from '../../../models/operations/streams/open-stream.js';
import { parsePosition, type Position } from '../../../models/rules/streams/position.js';
import { eventTypes } from '../../../models/rules/webhooks/events.js';
import { endpoint } from '../../declare.js';
import { apiKeyOrJwt } from '../../http/endpoint.js';
import { Reply } from '../../http/reply.js';
import { named } from '../../http/schemas/json-schema.js';
import { date } from '../../http/schemas/schemas.js';
import { text } from '../../http/schemas/validation.js';
import { resetEventType } from '../../stream/event-blocks.js';

const streamedEvent = named(
  'StreamedEvent',
  Joi.object({
    event: Joi.string()
      .valid(...eventTypes, resetEventType)
      .required(),
    timestamp: date(),
    data: Joi.object().unknown().required(),
  }),
);

export const openEventStreamEndpoint = endpoint({
  id: 'openEventStream',
  tag: 'stream',
  method: 'get',
  path: '/api/v1/stream',
  summary: 'Get the events of the workspace as they happen',
  auth: apiKeyOrJwt('read_messages'),
  query: Joi.object<{ last_event_id?: string }>({
    last_event_id: text()
      .empty('')
      .description('Same as the header `Last-Event-ID`, which takes precedence; for browsers, which cannot set it on the first connection'),
  }),
  streams: 'text/event-stream',
  envelope: false,
  response: streamedEvent,
  async handler({ caller, query, lastEventId }, { db, config, streams }) {
    const { workspaceId, credential, session } = caller;
    if (caller.isSuspended) throw suspended();
    const resume = positionOf(lastEventId, 'Last-Event-ID') ?? positionOf(query.last_event_id, 'last_event_id');
    const { id, position, isReset, since } = await openStream(db, { workspaceId, resume, max: config.quotas.streams });
    return new Reply({ events: streams.viewer({ id, workspaceId, keyId: credential.keyId, token: session, position, isReset, since }) });
  },
});

/** @throws AppError 400 for an id that is not one of ours */
function positionOf(id: string | null | undefined, field: string): Position | null {
  if (id === null || id === undefined || id === '') return null;
  const position = parsePosition(id);
  if (position === null) throw invalidField(field, `Invalid ${field}`);
  return position;
}
