/** Replays: send the deliveries of a period again. */
import Joi from 'joi';
import { currentTime } from '../../../models/db/database.js';
import { type DeliveryStatus, deliveryStatuses } from '../../../models/tables/delivery.js';
import { internal } from '../../../models/errors.js';
import { beginReplay } from '../../../models/operations/replays/begin-replay.js';
import { countForDryRun } from '../../../models/operations/replays/replay-deliveries.js';
import { cancelReplay } from '../../../models/operations/replays/replay-progress.js';
import { mapRows } from '../../../models/rules/values/list-window.js';
import { Replay } from '../../../models/tables/replay.js';
import { Webhook } from '../../../models/tables/webhook.js';
import { endpoint, list } from '../../declare.js';
import { webhooksOrPortal as auth } from '../../http/endpoint.js';
import { dataOf, moment } from '../../http/schemas/schemas.js';
import { text } from '../../http/schemas/validation.js';
import { presentCount, presentReplay } from '../../present/webhook-presenters.js';
import { endsBeforeStart } from '../period.js';
import { countedReplayResponse, replayResponse } from './webhook-schemas.js';

const oneReplay = dataOf('replay', replayResponse);

interface ReplayBody {
  since: Date;
  until?: Date;
  status?: DeliveryStatus;
  dry_run: boolean;
}

/** What is created later is not included: it is sent anyway, and a replay would not end as long as it comes. */
const endOf = (since: Date, end: Date | undefined, now: Date): Date => (end === undefined || (since <= now && now < end) ? now : end);

export const replayDeliveriesEndpoint = endpoint({
  id: 'replayDeliveries',
  tag: 'webhooks',
  method: 'post',
  path: '/api/v1/webhooks/:id/replay',
  summary: 'Send the deliveries of a period again, oldest first; without `status`, the failed and held ones',
  auth,
  body: Joi.object<ReplayBody>({
    since: moment().empty(['', null]).required(),
    until: moment().description('Default: now; a later time means now'),
    status: text().valid(...deliveryStatuses),
    dry_run: Joi.boolean().empty(null).default(false).description('Only count the deliveries that would be sent. Default: false'),
  }).required(),
  response: dataOf('replay', countedReplayResponse),
  async handler({ caller: { workspaceId }, origin, params, body }, { db, config, temporal, readTurns }) {
    const { since, until: end, status, dry_run } = body;
    const until = endOf(since, end, await currentTime(db));
    if (until < since) throw endsBeforeStart('since', 'until', end !== undefined);
    const webhook = await Webhook.owned(workspaceId, params.id);
    const statuses: DeliveryStatus[] = status === undefined ? ['failed', 'held'] : [status];
    const range = { webhookId: webhook.id, since, until, statuses };
    const turn = <Count>(count: () => Promise<Count>) => readTurns(count, workspaceId);
    if (dry_run) return { replay: presentCount(range, await turn(() => countForDryRun(db, range))) };
    webhook.assertActive();
    const replay = await beginReplay(db, range, { workspaceId, of: 'replays', max: config.quotas.replays }, { origin, turn });
    if (replay.status === 'running') {
      const period = { since: since.toISOString(), until: until.toISOString() };
      await temporal
        .replay({ workspaceId, replayId: replay.id, webhookId: webhook.id, ...period, statuses })
        .catch(async (error: unknown) => {
          await replay.destroy(); // a refused request leaves no row
          throw internal(error, 1); // the client may retry: receivers detect duplicates by `webhook-id`
        });
    }
    return { replay: presentReplay(replay) };
  },
});

export const listReplaysEndpoint = list({
  id: 'listReplays',
  tag: 'webhooks',
  path: '/api/v1/webhooks/:id/replays',
  summary: 'List replays of a webhook, newest first',
  auth,
  name: 'replays',
  row: replayResponse,
  async find({ caller, params, window }) {
    const webhook = await Webhook.owned(caller.workspaceId, params.id);
    return mapRows(await Replay.pageOf(webhook.id, window), presentReplay);
  },
});

export const getReplayEndpoint = endpoint({
  id: 'getReplay',
  tag: 'webhooks',
  method: 'get',
  path: '/api/v1/webhooks/:id/replays/:replay_id',
  summary: 'Get a replay and its progress',
  auth,
  response: oneReplay,
  async handler({ caller, params }) {
    const webhook = await Webhook.owned(caller.workspaceId, params.id);
    return { replay: presentReplay(await Replay.ofWebhook(webhook.id, params.replay_id)) };
  },
});

export const cancelReplayEndpoint = endpoint({
  id: 'cancelReplay',
  tag: 'webhooks',
  method: 'post',
  path: '/api/v1/webhooks/:id/replays/:replay_id/cancel',
  summary: 'Cancel a replay. Deliveries already in progress complete',
  auth,
  response: oneReplay,
  async handler({ caller, params }, { db }) {
    const webhook = await Webhook.owned(caller.workspaceId, params.id);
    return { replay: presentReplay(await cancelReplay(db, webhook.id, params.replay_id)) };
  },
});
