/** A delivery: one event on its way to one webhook, with all its attempts. */
import { literal, type NonAttribute, Op, type Order, type WhereOptions } from 'sequelize';
import { column, type Columns, nullable, type RowOf, withDefault } from './columns.js';
import { modelOf } from './model-of.js';
import { microsOf } from '../db/micros.js';
import { notFound } from '../errors.js';
import type { EventType, testEventType } from '../rules/webhooks/events.js';
import { type Counting, type Listed, type ListWindow, type Place, readWindow, type SortColumn } from '../rules/values/list-window.js';
import { isUuid } from '../rules/values/text.js';
import type { Webhook } from './webhook.js';
import { definedFields } from '../rules/values/defined-fields.js';

export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'held'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
export const triggers = ['scheduled', 'manual', 'replay', 'test'] as const;
export type Trigger = (typeof triggers)[number];

/** The duration of each part of an attempt in milliseconds; null for a part that did not happen, for example on a reused connection. */
export interface Timings {
  dns_ms: number | null;
  connect_ms: number | null;
  tls_ms: number | null;
  /** From the open connection to the head of the response. */
  first_byte_ms: number | null;
  /** The whole attempt, including the wait for a connection and the body of the response. */
  total_ms: number;
}

/** Filters of a list. `since` and `until` are times of creation, both included. */
export interface DeliveryFilters {
  status?: DeliveryStatus[];
  event?: Delivery['event'];
  message_id?: string;
  since?: Date;
  until?: Date;
}

export const deliveryColumns = {
  id: column.uuid(),
  /**
   * The database's number of the delivery among all deliveries; 0 for deliveries that are older than the numbering. Those are ordered by
   * their ids.
   */
  seq: withDefault(column.bigint()),
  webhook_id: column.uuid(),
  event_id: column.uuid(),
  event: column.text<EventType | typeof testEventType>(),
  message_id: nullable(column.uuid()),
  group_id: nullable(column.uuid()),
  status: column.text<DeliveryStatus>(),
  /** The position in the retry schedule: the attempts since its start, by the schedule, a replay or a test. Attempts by hand do not count. */
  ladder_step: withDefault(column.integer()),
  /** The last revision of its webhook that its status includes. */
  webhook_revision: withDefault(column.integer()),
  next_attempt_at: withDefault(nullable(column.timestamp())),
  created_at: withDefault(column.timestamp()),
  delivered_at: withDefault(nullable(column.timestamp())),
} satisfies Columns;

export class Delivery extends modelOf(deliveryColumns) {
  declare attempts?: NonAttribute<DeliveryAttempt[]>;

  /**
   * A delivery of this webhook with its attempts.
   * @throws AppError not_found in the same way for unknown, malformed and foreign ids
   */
  static async ofWebhook(webhookId: string, id: string): Promise<Delivery> {
    const row = isUuid(id) ? await Delivery.findOne({ where: { id, webhook_id: webhookId }, include: ['attempts'], order: inOrder }) : null;
    if (row === null) throw notFound('Delivery');
    return row;
  }

  /** Its status, including the part that is stored in the row of its webhook: pending deliveries are held as soon as the webhook is inactive. */
  statusWith({ is_active, held_revision }: WebhookRevisions): DeliveryStatus {
    return this.status === 'pending' && (!is_active || this.webhook_revision < held_revision) ? 'held' : this.status;
  }

  /** A part of a webhook's deliveries, newest first, each with its attempts, read at one moment. */
  static async pageOf(
    webhook: WebhookRevisions & Pick<Webhook, 'id'>,
    { status, since, until, ...filters }: DeliveryFilters,
    window: ListWindow,
    counting?: Counting,
  ): Promise<Listed<Delivery>> {
    const given: Partial<Pick<RowOf<typeof deliveryColumns>, keyof typeof filters>> = definedFields(filters);
    const filtered = [...createdBetween(since, until), ...(await inStatuses(webhook, status)), ...ofMessage(filters.message_id)];
    const where = { ...given, webhook_id: webhook.id };
    const order: Order = [['created_at', 'DESC'], ['seq', 'DESC'], ['id', 'DESC'], ...inOrder];
    return readWindow<Delivery>(window, {
      count: () => Delivery.count({ where: { ...where, [Op.and]: filtered } }),
      counting,
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

/** What the row of a webhook determines for its deliveries. */
type WebhookRevisions = Pick<Webhook, 'is_active' | 'revision' | 'held_revision' | 'settled_revision'>;
type Where = WhereOptions<RowOf<typeof deliveryColumns>>;

/** Creation times are stored to the microsecond, so the last millisecond is included completely. */
function createdBetween(since: Date | undefined, until: Date | undefined): Where[] {
  const from = since && { created_at: { [Op.gte]: since } };
  const to = until && { created_at: { [Op.lt]: new Date(until.getTime() + 1) } };
  return [from, to].filter((bound) => bound !== undefined);
}

const createdMicros = microsOf('"Delivery".created_at');

/**
 * A comparison of rows, because the index on the first column can be used for that. The parts of a place contain digits and hyphens only
 * (`isPlace`).
 */
const createdBefore = ([micros, seq, id]: Place) =>
  literal(`("Delivery".created_at, "Delivery".seq, "Delivery".id)
    < (timestamptz 'epoch' + ${Number(micros)} * interval '1 microsecond', ${Number(seq)}, ${Delivery.sequelize?.escape(id ?? '')}::uuid)`);

/** Deliveries by `statusWith`. If all are settled, the rows alone suffice. */
async function inStatuses(webhook: WebhookRevisions & Pick<Webhook, 'id'>, statuses: DeliveryStatus[] | undefined): Promise<Where[]> {
  if (statuses === undefined) return [];
  const { is_active, revision, held_revision, settled_revision } = webhook;
  const isSettled = is_active && settled_revision >= revision;
  const stored = { status: statuses.filter((status) => status !== 'pending') };
  const pending = statuses.includes('pending') && is_active ? [isSettled ? {} : { webhook_revision: { [Op.gte]: held_revision } }] : [];
  const held = statuses.includes('held') && !isSettled ? [is_active ? { webhook_revision: { [Op.lt]: held_revision } } : {}] : [];
  const open = [...pending, ...held];
  const few = open.length === 0 || statuses.includes('succeeded') ? null : await fewPending(webhook.id);
  const among = few === null ? {} : { id: few };
  return [{ [Op.or]: [stored, ...open.map((bound) => ({ status: 'pending' as const, ...among, ...bound }))] }];
}

const fewMax = 1_000;

/**
 * The ids of a webhook's pending deliveries; null if there are many. No index has them in the order of the list, so without the ids all deliveries
 * of the webhook would be read to find a few. Deliveries that are left to the retrier and the others have an index each.
 */
async function fewPending(webhookId: string): Promise<string[] | null> {
  const ids: string[] = [];
  for (const kind of ['"Delivery".carried', 'NOT "Delivery".carried']) {
    const where = { webhook_id: webhookId, status: 'pending' as const, [Op.and]: [literal(kind)] };
    const found = await Delivery.findAll({ attributes: ['id'], where, order: ['next_attempt_at'], limit: fewMax + 1 });
    ids.push(...found.map(({ id }) => id));
    if (ids.length > fewMax) return null;
  }
  return ids;
}

/** The deliveries of a message are found by its events, because no index has the message. */
const ofMessage = (id: string | undefined) =>
  id === undefined
    ? []
    : [literal(`"Delivery".event_id = ANY (ARRAY(SELECT id FROM events WHERE message_id = ${Delivery.sequelize?.escape(id)}::uuid))`)];

const inOrder: [string, string, string][] = [['attempts', 'number', 'ASC']];

export const deliveryAttemptColumns = {
  delivery_id: column.uuid(),
  number: column.integer(),
  at: column.timestamp(),
  trigger: column.text<Trigger>(),
  /** The replay that made it; null for all other attempts. */
  replay_id: nullable(column.uuid()),
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
