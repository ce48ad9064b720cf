/** A replay: deliveries of a time that an owner has sent again, and how far it came. */
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
