/** A replay: deliveries of a time that an owner has sent again, and how far it came. */
import { column, type Columns, nullable, withDefault } from './columns.js';
import { modelOf } from './model-of.js';
import type { DeliveryStatus } from './delivery.js';
import { notFound } from '../errors.js';
import { isUuid } from '../rules/values/text.js';

export const replayStatuses = ['running', 'completed', 'cancelled', 'stopped'] as const;
/** `stopped`: its webhook became inactive or was deleted. */
export type ReplayStatus = (typeof replayStatuses)[number];

const replayColumns = {
  id: column.uuid(),
  webhook_id: column.uuid(),
  status: column.text<ReplayStatus>(),
  since: column.timestamp(),
  until: column.timestamp(),
  statuses: column.texts<DeliveryStatus>(),
  /** Deliveries that it was to take when it began. */
  matched: column.integer(),
  /** Deliveries that had their attempt. */
  attempted: withDefault(column.integer()),
  /** Those of them whose attempt was acknowledged; a retry by the ladder does not count. */
  acknowledged: withDefault(column.integer()),
  created_at: withDefault(column.timestamp()),
  ended_at: withDefault(nullable(column.timestamp())),
} satisfies Columns;

export class Replay extends modelOf(replayColumns) {
  /**
   * A replay of this webhook.
   * @throws AppError 404 for an unknown, malformed or foreign id alike
   */
  static async ofWebhook(webhookId: string, id: string): Promise<Replay> {
    const row = isUuid(id) ? await Replay.findOne({ where: { id, webhook_id: webhookId } }) : null;
    if (row === null) throw notFound('Replay');
    return row;
  }

  /** One page of a webhook's replays, newest first. */
  static async pageOf(webhookId: string, { page, limit }: { page: number; limit: number }): Promise<{ rows: Replay[]; total: number }> {
    const { rows, count } = await Replay.findAndCountAll({
      where: { webhook_id: webhookId },
      order: [['id', 'DESC']],
      limit,
      offset: (page - 1) * limit,
    });
    return { rows, total: count };
  }
}
