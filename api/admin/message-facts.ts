/** A message as operators see it: without its text and the data of its client, and with a masked recipient. */
import { toCredits } from '../../models/rules/billing/credits.js';
import { unlessErased } from '../../models/rules/contacts/erasure.js';
import { maskAddresses } from '../../models/rules/values/mask.js';
import type { MessageRow } from '../../models/tables/message.js';

/** The columns that `factsOf` reads. */
export const factColumns = [
  'id',
  'workspace_id',
  'batch_id',
  'channel',
  'to',
  'status',
  'status_detail',
  'error_code',
  'error_message',
  'provider',
  'provider_message_id',
  'provider_error_code',
  'cost',
  'credits_used',
  'created_at',
  'scheduled_at',
  'sent_at',
  'delivered_at',
  'read_at',
  'failed_at',
  'expires_at',
  'erased_at',
] as const satisfies readonly (keyof MessageRow)[];

export type FactRow = Pick<MessageRow, (typeof factColumns)[number]>;

/** The facts under the names that the API has for them. `cost` is what was charged, `credits_used` what the message costs in the end. */
export function factsOf({ to, provider_message_id, cost, credits_used, ...row }: FactRow) {
  const shown = unlessErased(to);
  const isDecided = row.status !== 'accepting';
  return {
    ...row,
    to: shown === null ? null : maskAddresses(shown, shown),
    provider_message_id: unlessErased(provider_message_id),
    charged: isDecided ? toCredits(cost) : 0,
    credits_used: toCredits(credits_used),
  };
}

export type MessageFacts = ReturnType<typeof factsOf>;
