/** The timeline of a message: it explains the current status. */
import Joi from 'joi';
import { channels } from '../../../models/channels.js';
import type { Database } from '../../../models/db/database.js';
import { readTimeline } from '../../../models/operations/messages/read-timeline.js';
import { sandboxAccount } from '../../../models/rules/callbacks/sandbox.js';
import { publicStatuses, statusDetails } from '../../../models/rules/messages/status.js';
import { waitLimitsOf, waits } from '../../../models/rules/messages/waiting.js';
import type { Deps } from '../../deps.js';
import { endpoint } from '../../declare.js';
import { apiKey } from '../../http/endpoint.js';
import { presentTimeline } from '../../present/present-timeline.js';
import { stepTypes } from '../../present/timeline-step.js';
import { named } from '../../http/schemas/json-schema.js';
import { dataOf, date, dateOrNull, id, enumOf } from '../../http/schemas/schemas.js';
import { oneOfWords } from '../../http/schemas/words.js';

const wait = named(
  'TimelineWait',
  Joi.object({
    what: Joi.string()
      .valid(...waits)
      .required(),
    text: Joi.string().required(),
    until: dateOrNull().description('Null if no time ends the wait, or if that time is over'),
  }),
);
const step = named(
  'TimelineStep',
  Joi.object({
    at: date(),
    type: Joi.string()
      .valid(...stepTypes)
      .required(),
    text: Joi.string().required(),
    details: Joi.object().unknown().required(),
  }),
);
const timelineResponse = named(
  'Timeline',
  Joi.object({
    message_id: id(),
    channel: enumOf('Channel', channels).required(),
    status: enumOf('MessageStatus', publicStatuses).required(),
    status_detail: Joi.string().required().description(oneOfWords(statusDetails)),
    workflow_id: Joi.string().required().description('The Temporal workflow of the message'),
    workflow_url: Joi.string()
      .allow(null)
      .required()
      .description('Its page in the Temporal Web UI; null without the setting TEMPORAL_UI_URL'),
    waiting_for: wait.allow(null).required(),
    steps: Joi.array().items(step).required(),
  }),
);

export const getMessageTimelineEndpoint = endpoint({
  id: 'getMessageTimeline',
  tag: 'messages',
  method: 'get',
  path: '/api/v1/messages/:id/timeline',
  summary: 'Get the timeline of a message: every step so far, and the step it waits for',
  auth: apiKey('read_messages'),
  costly: true,
  response: dataOf('timeline', timelineResponse),
  handler: async ({ caller, params }, { db, config }) => ({ timeline: await timelineFor(db, config, caller.workspaceId, params.id) }),
});

/**
 * The timeline of a message as its workspace sees it.
 * @throws AppError not_found, see `readTimeline`
 */
export async function timelineFor(db: Database, config: Deps['config'], workspaceId: string, id: string) {
  const timeline = await readTimeline(db, workspaceId, id);
  const limits = waitLimitsOf(config, timeline.message.channel);
  const kinds = new Map([...config.accounts, sandboxAccount].map(({ name, kind }) => [name, kind]));
  const workflow_url = workflowUrl(config, timeline.workflowId);
  return { ...presentTimeline(timeline, limits, (provider) => kinds.get(provider)), workflow_url };
}

function workflowUrl({ temporalUiUrl, temporalNamespace }: Deps['config'], workflowId: string): string | null {
  if (temporalUiUrl === undefined) return null;
  return `${temporalUiUrl}/namespaces/${encodeURIComponent(temporalNamespace)}/workflows/${encodeURIComponent(workflowId)}`;
}
