import { priceOf } from '../../../models/rules/billing/credits.js';
import { besideText, type FallbackStep } from '../../../models/rules/messages/fallback.js';
import { carrierView } from '../../../models/rules/messages/segments.js';
import type { SendBody } from './message-schemas.js';
import { recipientOf } from './new-message.js';

/**
 * The steps of a message's chain, priced; none where it has no fallback.
 * @throws AppError 404 and 400 as `recipientOf`, for a contact
 */
export function fallbackSteps(workspaceId: string, { to, contact_id, content, fallback = [] }: SendBody): Promise<FallbackStep[]> {
  return Promise.all(
    fallback.map(async ({ channel, to: other = to, after }) => ({
      channel,
      to: await recipientOf(workspaceId, {
        channel,
        ...(other === undefined ? {} : { to: other }),
        ...(contact_id === undefined ? {} : { contact_id }),
      }),
      after,
      content: besideText(channel, content),
      price: priceOf(channel, content.text),
      ...carrierView(channel, content.text),
    })),
  );
}

/** Everybody whom a message and its steps go to, by the field that names him. */
export const namedIn = ({ channel, contact_id, fallback = [] }: SendBody, to: string, steps: readonly FallbackStep[]) => {
  const field = contact_id === undefined ? 'to' : 'contact_id';
  return [
    { field, channel, to },
    ...steps.map((step, at) => ({
      field: fallback[at]?.to === undefined ? field : `fallback[${at}].to`,
      channel: step.channel,
      to: step.to,
    })),
  ];
};
