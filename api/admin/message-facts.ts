/** A message as operators see it: without its text and the data of its client, and with a masked recipient. */
import type { FoundMessage } from '../../models/operations/messages/find-messages.js';
import { toCredits } from '../../models/rules/billing/credits.js';
import { unlessErased } from '../../models/rules/contacts/erasure.js';
import { maskAddresses } from '../../models/rules/values/mask.js';

/** The facts under the names that the API has for them. `cost` is what was charged, `credits_used` what the message costs in the end. */
export function factsOf({ to, provider_message_id, cost, credits_used, ...row }: FoundMessage) {
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
