/** A replay: deliveries of a time that an owner has sent again, and how far it came. */
import { type CreationOptional, DataTypes, type InferAttributes, type InferCreationAttributes, Model, type Sequelize } from 'sequelize';
import type { DeliveryStatus } from './delivery.js';
import { notFound } from '../errors.js';
import { isUuid } from '../rules/values/text.js';

export const replayStatuses = ['running', 'completed', 'cancelled', 'stopped'] as const;
/** `stopped`: its webhook became inactive or was deleted. */
export type ReplayStatus = (typeof replayStatuses)[number];

export class Replay extends Model<InferAttributes<Replay>, InferCreationAttributes<Replay>> {
  declare id: string;
  declare webhook_id: string;
  declare status: ReplayStatus;
  declare since: Date;
  declare until: Date;
  declare statuses: DeliveryStatus[];
  /** Deliveries that it was to take when it began. */
  declare matched: number;
  /** Deliveries that had their attempt. */
  declare attempted: CreationOptional<number>;
  /** Those of them whose attempt was acknowledged; a retry by the ladder does not count. */
  declare acknowledged: CreationOptional<number>;
  declare created_at: CreationOptional<Date>;
  declare ended_at: CreationOptional<Date | null>;

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

export function initReplay(sequelize: Sequelize): void {
  Replay.init(
    {
      id: { type: DataTypes.UUID, primaryKey: true },
      webhook_id: DataTypes.UUID,
      status: DataTypes.TEXT,
      since: DataTypes.DATE,
      until: DataTypes.DATE,
      statuses: DataTypes.ARRAY(DataTypes.TEXT),
      matched: DataTypes.INTEGER,
      attempted: DataTypes.INTEGER,
      acknowledged: DataTypes.INTEGER,
      created_at: DataTypes.DATE,
      ended_at: DataTypes.DATE,
    },
    { sequelize, tableName: 'replays' },
  );
}
