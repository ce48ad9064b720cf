/** A delivery: one event on its way to one webhook, with every attempt that was made. */
import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type NonAttribute,
  type Sequelize,
} from 'sequelize';
import { notFound } from './errors.js';
import type { EventType, testEventType } from './rules/events.js';
import { isUuid } from './rules/text.js';

export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'held'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
export type Trigger = 'scheduled' | 'manual' | 'replay' | 'test';

export class Delivery extends Model<InferAttributes<Delivery>, InferCreationAttributes<Delivery>> {
  declare id: string;
  declare webhook_id: string;
  declare event_id: string;
  declare event: EventType | typeof testEventType;
  declare message_id: string | null;
  declare group_id: string | null;
  declare status: DeliveryStatus;
  /** Automatic attempts made so far: the rung of the retry ladder. Manual attempts do not move it. */
  declare ladder_step: CreationOptional<number>;
  declare next_attempt_at: CreationOptional<Date | null>;
  declare created_at: CreationOptional<Date>;
  declare delivered_at: CreationOptional<Date | null>;
  declare attempts?: NonAttribute<DeliveryAttempt[]>;

  /**
   * A delivery of this webhook with its attempts.
   * @throws AppError 404 for an unknown, malformed or foreign id alike
   */
  static async ofWebhook(webhookId: string, id: string): Promise<Delivery> {
    const row = isUuid(id) ? await Delivery.findOne({ where: { id, webhook_id: webhookId }, include: [attemptsInOrder] }) : null;
    if (row === null) throw notFound('Delivery');
    return row;
  }

  /** One page of a webhook's deliveries with their attempts, newest first; two queries and a count. */
  static async pageOf(
    webhookId: string,
    filters: { status?: DeliveryStatus | undefined; event?: string | undefined; message_id?: string | undefined },
    { page, limit }: { page: number; limit: number },
  ): Promise<{ rows: Delivery[]; total: number }> {
    const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
    const where = { ...given, webhook_id: webhookId };
    const total = await Delivery.count({ where });
    const offset = (page - 1) * limit;
    if (offset >= total) return { rows: [], total };
    return { rows: await Delivery.findAll({ where, include: [attemptsInOrder], order: [['id', 'DESC']], limit, offset }), total };
  }
}

const attemptsInOrder = { association: 'attempts', separate: true, order: [['number', 'ASC']] as [string, string][] };

export class DeliveryAttempt extends Model<InferAttributes<DeliveryAttempt>, InferCreationAttributes<DeliveryAttempt>> {
  declare delivery_id: string;
  declare number: number;
  declare at: Date;
  declare trigger: Trigger;
  declare response_status: number | null;
  declare error: string | null;
  declare duration_ms: number;
  declare response_body: string | null;
}

export function initDelivery(sequelize: Sequelize): void {
  Delivery.init(
    {
      id: { type: DataTypes.UUID, primaryKey: true },
      webhook_id: DataTypes.UUID,
      event_id: DataTypes.UUID,
      event: DataTypes.TEXT,
      message_id: DataTypes.UUID,
      group_id: DataTypes.UUID,
      status: DataTypes.TEXT,
      ladder_step: DataTypes.INTEGER,
      next_attempt_at: DataTypes.DATE,
      created_at: DataTypes.DATE,
      delivered_at: DataTypes.DATE,
    },
    { sequelize, tableName: 'deliveries' },
  );
  DeliveryAttempt.init(
    {
      delivery_id: { type: DataTypes.UUID, primaryKey: true },
      number: { type: DataTypes.INTEGER, primaryKey: true },
      at: DataTypes.DATE,
      trigger: DataTypes.TEXT,
      response_status: DataTypes.INTEGER,
      error: DataTypes.TEXT,
      duration_ms: DataTypes.INTEGER,
      response_body: DataTypes.TEXT,
    },
    { sequelize, tableName: 'delivery_attempts' },
  );
  Delivery.hasMany(DeliveryAttempt, { as: 'attempts', foreignKey: 'delivery_id' });
}
