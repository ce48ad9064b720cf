/** A delivery: one event on its way to one webhook, with every attempt that was made. */
import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type NonAttribute,
  Op,
  type Order,
  type Sequelize,
  type WhereOptions,
} from 'sequelize';
import { notFound } from '../errors.js';
import type { EventType, testEventType } from '../rules/webhooks/events.js';
import { isUuid } from '../rules/values/text.js';
import type { Webhook } from './webhook.js';

export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'held'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
export const triggers = ['scheduled', 'manual', 'replay', 'test'] as const;
export type Trigger = (typeof triggers)[number];

/** Milliseconds that each part of an attempt took; null for what did not take place, as on a connection that was open already. */
export interface Timings {
  dns_ms: number | null;
  connect_ms: number | null;
  tls_ms: number | null;
  /** From the open connection to the head of the answer. */
  first_byte_ms: number | null;
  /** All of it, waiting for a connection and reading the answer included. */
  total_ms: number;
}

/** What a list may be narrowed to; `since` and `until` are times of creation, both included. */
export interface DeliveryFilters {
  status?: DeliveryStatus[];
  event?: string;
  message_id?: string;
  since?: Date;
  until?: Date;
}

export class Delivery extends Model<InferAttributes<Delivery>, InferCreationAttributes<Delivery>> {
  declare id: string;
  /** Its place among all deliveries, given by the database; 0 for those from before there were places, which have the order of their ids. */
  declare seq: CreationOptional<number>;
  declare webhook_id: string;
  declare event_id: string;
  declare event: EventType | typeof testEventType;
  declare message_id: string | null;
  declare group_id: string | null;
  declare status: DeliveryStatus;
  /** Automatic attempts made so far: the rung of the retry ladder. Manual attempts do not move it. */
  declare ladder_step: CreationOptional<number>;
  /** The revision of its webhook that its status takes into account. */
  declare webhook_revision: CreationOptional<number>;
  declare next_attempt_at: CreationOptional<Date | null>;
  declare created_at: CreationOptional<Date>;
  declare delivered_at: CreationOptional<Date | null>;
  declare attempts?: NonAttribute<DeliveryAttempt[]>;

  /**
   * A delivery of this webhook with its attempts.
   * @throws AppError 404 for an unknown, malformed or foreign id alike
   */
  static async ofWebhook(webhookId: string, id: string): Promise<Delivery> {
    const row = isUuid(id) ? await Delivery.findOne({ where: { id, webhook_id: webhookId }, include: ['attempts'], order: inOrder }) : null;
    if (row === null) throw notFound('Delivery');
    return row;
  }

  /** Its status, a part of which may stand in the row of its webhook: what is pending is held as soon as that is inactive. */
  statusWith({ is_active, held_revision }: Holder): DeliveryStatus {
    return this.status === 'pending' && (!is_active || this.webhook_revision < held_revision) ? 'held' : this.status;
  }

  /** One page of a webhook's deliveries, newest first, each as it stood with its attempts at one moment. */
  static async pageOf(
    webhook: Holder & Pick<Webhook, 'id'>,
    { status, since, until, ...filters }: DeliveryFilters,
    { page, limit }: { page: number; limit: number },
  ): Promise<{ rows: Delivery[]; total: number }> {
    const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
    const where = { ...given, webhook_id: webhook.id, [Op.and]: [...createdBetween(since, until), ...inStatuses(webhook, status)] };
    const total = await Delivery.count({ where });
    const offset = (page - 1) * limit;
    if (offset >= total) return { rows: [], total };
    const order: Order = [['created_at', 'DESC'], ['seq', 'DESC'], ['id', 'DESC'], ...inOrder];
    return { rows: await Delivery.findAll({ where, include: ['attempts'], order, limit, offset }), total };
  }
}

/** What the row of a webhook says of its deliveries. */
type Holder = Pick<Webhook, 'is_active' | 'revision' | 'held_revision' | 'settled_revision'>;
type Where = WhereOptions<InferAttributes<Delivery>>;

/** Created is stored to the microsecond: the last millisecond counts whole. */
function createdBetween(since: Date | undefined, until: Date | undefined): Where[] {
  const from = since && { created_at: { [Op.gte]: since } };
  const to = until && { created_at: { [Op.lt]: new Date(until.getTime() + 1) } };
  return [from, to].filter((bound) => bound !== undefined);
}

/** By `statusWith`; where all is settled by the rows alone, for which there are indexes. */
function inStatuses({ is_active, revision, held_revision, settled_revision }: Holder, statuses: DeliveryStatus[] | undefined): Where[] {
  if (statuses === undefined) return [];
  if (is_active && settled_revision >= revision) return [{ status: statuses }];
  const stored = statuses.filter((status) => status !== 'pending');
  const pending = statuses.includes('pending') && is_active ? [{ webhook_revision: { [Op.gte]: held_revision } }] : [];
  const held = statuses.includes('held') ? [is_active ? { webhook_revision: { [Op.lt]: held_revision } } : {}] : [];
  return [{ [Op.or]: [{ status: stored }, ...[...pending, ...held].map((bound) => ({ status: 'pending' as const, ...bound }))] }];
}

const inOrder: [string, string, string][] = [['attempts', 'number', 'ASC']];

export class DeliveryAttempt extends Model<InferAttributes<DeliveryAttempt>, InferCreationAttributes<DeliveryAttempt>> {
  declare delivery_id: string;
  declare number: number;
  declare at: Date;
  declare trigger: Trigger;
  declare response_status: number | null;
  declare error: string | null;
  declare duration_ms: number;
  declare response_body: string | null;
  declare url: string | null;
  declare request_headers: Record<string, string> | null;
  declare response_headers: Record<string, string> | null;
  declare timings: Timings | null;
  declare remote_address: string | null;
}

export function initDelivery(sequelize: Sequelize): void {
  Delivery.init(
    {
      id: { type: DataTypes.UUID, primaryKey: true },
      seq: DataTypes.BIGINT,
      webhook_id: DataTypes.UUID,
      event_id: DataTypes.UUID,
      event: DataTypes.TEXT,
      message_id: DataTypes.UUID,
      group_id: DataTypes.UUID,
      status: DataTypes.TEXT,
      ladder_step: DataTypes.INTEGER,
      webhook_revision: DataTypes.INTEGER,
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
      url: DataTypes.TEXT,
      request_headers: DataTypes.JSON,
      response_headers: DataTypes.JSON,
      timings: DataTypes.JSON,
      remote_address: DataTypes.TEXT,
    },
    { sequelize, tableName: 'delivery_attempts' },
  );
  Delivery.hasMany(DeliveryAttempt, { as: 'attempts', foreignKey: 'delivery_id' });
}
