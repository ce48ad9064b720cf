/** The timeline of a message: it explains the current status. */
import Joi from 'joi';
import { channels } from '../../../models/channels.js';
import { readTimeline } from '../../../models/operations/messages/read-timeline.js';
import { publicStatuses } from '../../../models/rules/messages/status.js';
import { waits } from '../../../models/rules/messages/waiting.js';
import { apiKey, endpoint } from '../../http/endpoint.js';
import { presentTimeline, stepTypes } from '../../present/present-timeline.js';
import { sandbox } from '../callbacks.js';
import { date, dateOrNull, id } from '../../http/schemas.js';

const required = (...values: readonly string[]) =>
  Joi.string()
    .valid(...values)
    .required();

const timelineResponse = Joi.object({
  message_id: id(),
  channel: required(...channels),
  status: required(...publicStatuses),
  status_detail: Joi.string().required(),
  workflow_id: Joi.string().required().description('The Temporal workflow of the message'),
  waiting_for: Joi.object({ what: required(...waits), text: Joi.string().required(), until: dateOrNull() })
    .allow(null)
    .required(),
  steps: Joi.array()
    .items(
      Joi.object({
        at: date(),
        type: required(...stepTypes),
        text: Joi.string().required(),
        details: Joi.object().unknown().required(),
      }),
    )
    .required(),
});

export const getTimeline = endpoint({
  id: 'messages.timeline',
  method: 'get',
  path: '/api/v1/messages/:id/timeline',
  summary: 'Get the timeline of a message: every step so far, and the step it waits for',
  auth: apiKey('read_messages'),
  response: Joi.object({ timeline: timelineResponse.required() }),
  async handler({ caller, params }, { db, config }) {
    const timeline = await readTimeline(db, caller.workspaceId, params.id);
    const limits = {
      handoffTimeoutSeconds: config.handoffTimeoutSeconds,
      unknownHandoffSeconds: config.unknownHandoffSeconds,
      reportTimeoutSeconds: config.reportTimeoutSeconds[timeline.message.channel],
    };
    const kinds = new Map([...config.accounts, sandbox].map(({ name, kind }) => [name, kind]));
    return { timeline: presentTimeline(timeline, limits, (provider) => kinds.get(provider)) };
  },
});
