/** A delivery: one event on its way to one webhook, with every attempt that was made. */
import { literal, type NonAttribute, Op, type Order, type WhereOptions } from 'sequelize';
import { column, type Columns, nullable, type RowOf, withDefault } from './columns.js';
import { modelOf } from './model-of.js';
import { notFound } from '../errors.js';
import type { EventType, testEventType } from '../rules/webhooks/events.js';
import { type Listed, type ListWindow, type Place, readWindow, type SortColumn } from '../rules/values/list-window.js';
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

const deliveryColumns = {
  id: column.uuid(),
  /** Its place among all deliveries, given by the database; 0 for those from before there were places, which have the order of their ids. */
  seq: withDefault(column.bigint()),
  webhook_id: column.uuid(),
  event_id: column.uuid(),
  event: column.text<EventType | typeof testEventType>(),
  message_id: nullable(column.uuid()),
  group_id: nullable(column.uuid()),
  status: column.text<DeliveryStatus>(),
  /** Automatic attempts made so far: the rung of the retry ladder. Manual attempts do not move it. */
  ladder_step: withDefault(column.integer()),
  /** The revision of its webhook that its status takes into account. */
  webhook_revision: withDefault(column.integer()),
  next_attempt_at: withDefault(nullable(column.timestamp())),
  created_at: withDefault(column.timestamp()),
  delivered_at: withDefault(nullable(column.timestamp())),
} satisfies Columns;

export class Delivery extends modelOf(deliveryColumns) {
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

  /** A part of a webhook's deliveries, newest first, each with its attempts as of one moment. */
  static pageOf(
    webhook: Holder & Pick<Webhook, 'id'>,
    { status, since, until, ...filters }: DeliveryFilters,
    window: ListWindow,
  ): Promise<Listed<Delivery>> {
    const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
    const filtered = [...createdBetween(since, until), ...inStatuses(webhook, status)];
    const where = { ...given, webhook_id: webhook.id };
    const order: Order = [['created_at', 'DESC'], ['seq', 'DESC'], ['id', 'DESC'], ...inOrder];
    return readWindow<Delivery>(window, {
      count: () => Delivery.count({ where: { ...where, [Op.and]: filtered } }),
      find: ({ after, ...range }) =>
        Delivery.findAll({
          attributes: { include: [[literal(createdMicros), 'micros']] },
          where: { ...where, [Op.and]: after === null ? filtered : [...filtered, createdBefore(after)] },
          include: ['attempts'],
          order,
          ...range,
        }),
      placeOf: (row) => [(row.get('micros' as keyof Delivery) as number).toString(), String(row.seq), row.id],
    });
  }
}

/** The sort columns of `Delivery.pageOf`. */
export const deliverySort: readonly SortColumn[] = ['micros', 'number', 'id'];

/** What the row of a webhook says of its deliveries. */
type Holder = Pick<Webhook, 'is_active' | 'revision' | 'held_revision' | 'settled_revision'>;
type Where = WhereOptions<RowOf<typeof deliveryColumns>>;

/** Created is stored to the microsecond: the last millisecond counts whole. */
function createdBetween(since: Date | undefined, until: Date | undefined): Where[] {
  const from = since && { created_at: { [Op.gte]: since } };
  const to = until && { created_at: { [Op.lt]: new Date(until.getTime() + 1) } };
  return [from, to].filter((bound) => bound !== undefined);
}

/** Microseconds since 1970. JavaScript's dates end at the millisecond. */
const createdMicros = `(extract(epoch FROM "Delivery".created_at) * 1000000)::bigint`;

/** A comparison of rows, because the index on the first column serves that. The parts of a place have digits and hyphens only (`isPlace`). */
const createdBefore = ([micros, seq, id]: Place) =>
  literal(`("Delivery".created_at, "Delivery".seq, "Delivery".id)
    < (timestamptz 'epoch' + ${Number(micros)} * interval '1 microsecond', ${Number(seq)}, ${Delivery.sequelize?.escape(id ?? '')}::uuid)`);

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

const deliveryAttemptColumns = {
  delivery_id: column.uuid(),
  number: column.integer(),
  at: column.timestamp(),
  trigger: column.text<Trigger>(),
  response_status: nullable(column.integer()),
  error: nullable(column.text()),
  duration_ms: column.integer(),
  response_body: nullable(column.text()),
  url: nullable(column.text()),
  request_headers: nullable(column.json<Record<string, string>>()),
  response_headers: nullable(column.json<Record<string, string>>()),
  timings: nullable(column.json<Timings>()),
  remote_address: nullable(column.text()),
} satisfies Columns;

export class DeliveryAttempt extends modelOf(deliveryAttemptColumns) {}
