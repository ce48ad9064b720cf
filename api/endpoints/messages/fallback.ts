import { priceOf } from '../../../models/rules/billing/credits.js';
import type { FallbackStep } from '../../../models/rules/messages/fallback.js';
import { fieldsBesideText } from '../../../models/rules/messages/content.js';
import { carrierView } from '../../../models/rules/messages/segments.js';
import type { SendBody } from './message-schemas.js';
import { recipientOf } from './new-message.js';

/**
 * The fallback steps of a message with their prices; empty without a fallback.
 * @throws AppError 404 and 400 as `recipientOf`
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
      content: fieldsBesideText(channel, content),
      price: priceOf(channel, content.text),
      ...carrierView(channel, content.text),
    })),
  );
}

/** The recipients of a message and its fallback steps, with the request fields that name them. */
export const recipientFields = ({ channel, contact_id, fallback = [] }: SendBody, to: string, steps: readonly FallbackStep[]) => {
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
