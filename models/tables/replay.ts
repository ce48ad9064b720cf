/** A replay: the deliveries of a period that an owner sends again, and its progress. */
import { Op } from 'sequelize';
import { column, type Columns, nullable, withDefault } from './columns.js';
import { modelOf } from './model-of.js';
import type { DeliveryStatus } from './delivery.js';
import { notFound } from '../errors.js';
import { type Listed, type ListWindow, readWindow } from '../rules/values/list-window.js';
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
  /** How many deliveries it included when it began; null: too many to count. */
  matched: nullable(column.integer()),
  /** How many deliveries were attempted. */
  attempted: withDefault(column.integer()),
  /** How many of those attempts were acknowledged. Later retries do not count. */
  acknowledged: withDefault(column.integer()),
  created_at: withDefault(column.timestamp()),
  ended_at: withDefault(nullable(column.timestamp())),
} satisfies Columns;

export class Replay extends modelOf(replayColumns) {
  /**
   * A replay of this webhook.
   * @throws AppError not_found in the same way for unknown, malformed and foreign ids
   */
  static async ofWebhook(webhookId: string, id: string): Promise<Replay> {
    const row = isUuid(id) ? await Replay.findOne({ where: { id, webhook_id: webhookId } }) : null;
    if (row === null) throw notFound('Replay');
    return row;
  }

  /** A part of a webhook's replays, newest first. A place is the id of a row. */
  static pageOf(webhookId: string, window: ListWindow): Promise<Listed<Replay>> {
    const where = { webhook_id: webhookId };
    return readWindow<Replay>(window, {
      count: () => Replay.count({ where }),
      find: ({ after, ...range }) =>
        Replay.findAll({ where: after === null ? where : { ...where, id: { [Op.lt]: after[0] } }, order: [['id', 'DESC']], ...range }),
      placeOf: ({ id }) => [id],
    });
  }
}
