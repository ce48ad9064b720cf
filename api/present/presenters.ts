/** The public shape of resources; that of messages is in `message-view.ts`. Fields are listed one by one, so that a new column is never exposed by accident. */
import type { ApiKey } from '../../models/tables/api-key.js';
import type { BatchRow } from '../../models/tables/batch.js';
import type { Contact } from '../../models/tables/contact.js';
import type { CreditEntry } from '../../models/tables/credit-entry.js';
import type { CreditPackage } from '../../models/tables/credit-package.js';
import type { AuditEvent } from '../../models/operations/audit/list-audit-events.js';
import type { BatchView, BriefBatchView } from '../../models/operations/batches/view-batch.js';
import { toCredits } from '../../models/rules/billing/credits.js';
import { unlessErased } from '../../models/rules/contacts/erasure.js';
import { isAhead } from '../../models/rules/messages/schedule.js';
import type { Suppression } from '../../models/tables/suppression.js';
import type { Workspace } from '../../models/tables/workspace.js';
import { storeNow } from './success-texts.js';

/** A timestamp in the format of the API; null if there is none. */
export const iso = (at: Date | null | undefined) => at?.toISOString() ?? null;

export const presentWorkspace = (row: Workspace) => ({
  id: row.id,
  name: row.name,
  email: row.email,
  email_verified: row.email_verified,
  credits_balance: toCredits(row.balance),
});

/** The workspace with its settings. */
export const presentOwnWorkspace = (row: Workspace) => ({
  ...presentWorkspace(row),
  debt: toCredits(row.debt),
  spend_limit_day: row.spend_limit_day === null ? null : toCredits(row.spend_limit_day),
  allowed_countries: row.allowed_countries,
  message_days: row.message_days,
});

export const presentApiKey = (row: ApiKey) => ({
  id: row.id,
  name: row.name,
  key_prefix: row.key_prefix,
  scopes: row.scopes,
  is_active: row.is_active,
  last_used_at: iso(row.last_used_at),
  last_used_address: row.last_used_address,
  ...presentKeyLimits(row),
  created_at: iso(row.created_at),
});

/** The restrictions of an API key; null for each one that is not set. */
export const presentKeyLimits = (row: ApiKey) => ({
  expires_at: iso(row.expires_at),
  allowed_addresses: row.allowed_addresses,
  channels: row.channels,
});

/** The response to a creation. It is the only response that contains the full key. */
export const presentNewApiKey = (row: ApiKey, key: string) => ({
  id: row.id,
  name: row.name,
  key,
  key_prefix: row.key_prefix,
  scopes: row.scopes,
  created_at: iso(row.created_at),
  warning: storeNow.apiKey,
});

/** A batch in a list: without `errors`, because there can be thousands. */
export const presentBatchInList = ({ batch, status, counts, creditsUsed }: BriefBatchView) => ({
  id: batch.id,
  channel: batch.channel,
  status,
  total: batch.total,
  accepted: batch.accepted,
  invalid: batch.invalid,
  credits_used: toCredits(creditsUsed),
  counts,
  rate: batch.rate,
  scheduled_at: iso(batch.scheduled_at),
  created_at: iso(batch.created_at),
  completed_at: iso(batch.completed_at),
});

export const presentBatch = (view: BatchView) => ({ ...presentBatchInList(view), errors: view.batch.errors });

/** A batch without its message counts. */
export const presentBatchRow = (batch: BatchRow) => ({
  id: batch.id,
  channel: batch.channel,
  status: batch.status,
  total: batch.total,
  accepted: batch.accepted,
  invalid: batch.invalid,
  errors: batch.errors,
  rate: batch.rate,
  scheduled_at: iso(batch.scheduled_at),
  created_at: iso(batch.created_at),
  completed_at: iso(batch.completed_at),
});

/** The batch as it was when it was accepted, for repeated requests. */
export const presentAcceptedBatch = (batch: BatchRow) =>
  presentBatch({
    batch: { ...batch, completed_at: null },
    status: isAhead(batch) ? 'scheduled' : 'sending',
    counts: { queued: batch.accepted, sent: 0, delivered: 0, failed: 0, read: 0 },
    creditsUsed: batch.cost,
  });

export const presentContact = (row: Contact) => ({
  id: row.id,
  name: row.name,
  phone: row.phone,
  email: row.email,
  tags: row.tags,
  custom_fields: row.custom_fields,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

export const presentSuppression = (row: Suppression) => ({
  id: row.id,
  channel: row.channel,
  recipient: unlessErased(row.recipient),
  reason: row.reason,
  source: row.source,
  message_id: row.message_id,
  expires_at: iso(row.expires_at),
  created_at: iso(row.created_at),
});

export const presentPackage = (row: CreditPackage) => ({
  id: row.id,
  name: row.name,
  credits: toCredits(row.credits),
  price_cents: row.price_cents,
  currency: row.currency,
});

export const presentTransaction = (row: CreditEntry) => ({
  id: row.id,
  type: row.kind,
  amount: toCredits(row.amount),
  balance_after: toCredits(row.balance_after),
  description: row.description,
  reference: row.reference,
  created_at: iso(row.created_at),
});

/** The public shape of an audit event. */
export const presentAuditEvent = (row: AuditEvent) => ({
  id: row.id,
  type: row.type,
  at: iso(row.at),
  actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  address: row.address,
  user_agent: row.user_agent,
  request_id: row.request_id,
  target: { type: row.target_type, id: row.target_id, name: row.target_name },
  changes: row.changes,
});
