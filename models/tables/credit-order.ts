/** An order of credits: our own record of the agreed payment. Every event of the payment provider is compared with it. */
import { column, type Columns, nullable, type RowOf, withDefault } from './columns.js';
import { ownedOf } from './owned.js';

export type OrderStatus = 'opening' | 'open' | 'pending' | 'paid' | 'failed' | 'expired';

export const creditOrderColumns = {
  id: column.uuid(),
  workspace_id: column.uuid(),
  /** Null if an operator has credited the payment. */
  package_id: nullable(column.uuid()),
  package_name: column.text(),
  /** Thousandths of a credit. */
  credits: column.bigint(),
  amount_cents: column.bigint(),
  currency: column.text(),
  idempotency_key: nullable(column.text()),
  request_digest: nullable(column.bytes()),
  /** `opening` until the provider's session is stored. */
  status: column.text<OrderStatus>(),
  /** While `opening`: until then, only one request may call the payment provider. */
  leased_until: column.timestamp(),
  session_id: withDefault(nullable(column.text())),
  checkout_url: withDefault(nullable(column.text())),
  /** Set when the order is paid. */
  payment_id: withDefault(nullable(column.text())),
  /** Thousandths of a credit that refunds and disputes have taken back, or turned into debt. */
  reversed: withDefault(column.bigint()),
  created_at: withDefault(column.timestamp()),
  paid_at: withDefault(nullable(column.timestamp())),
} satisfies Columns;

export class CreditOrder extends ownedOf(creditOrderColumns) {}

export type OrderRow = RowOf<typeof creditOrderColumns>;
