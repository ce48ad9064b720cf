/** The steps of a timeline at the carriers: calls of them, and their reports. */
import type { AttemptRow, ReportRow } from '../../models/operations/messages/read-timeline.js';
import { unlessErased } from '../../models/rules/contacts/erasure.js';
import { attemptText } from '../../models/rules/messages/attempt-text.js';
import { routeTexts } from '../../models/rules/routing/route.js';
import type { ProviderKind } from '../../models/rules/routing/provider-kinds.js';
import { shownOfReport } from '../../models/rules/callbacks/shown-fields.js';
import { maskAddresses } from '../../models/rules/values/mask.js';
import { countText } from '../../models/rules/values/text.js';
import type { Step } from './timeline-step.js';

/** A call of a carrier for the message. */
export function attemptStep({ started_at, finished_at, outcome, provider_message_id, route, route_share, ...attempt }: AttemptRow): Step {
  const { number, provider, detail } = attempt;
  const durationMs = finished_at === null ? null : finished_at.getTime() - started_at.getTime();
  const chosen = route === null ? null : { reason: route, text: routeTexts[route], share_percent: route_share };
  return {
    at: started_at,
    type: 'attempt',
    text: attemptText({ ...attempt, outcome }),
    details: { number, provider, chosen, outcome, detail, provider_message_id: unlessErased(provider_message_id), duration_ms: durationMs },
  };
}

const reasons = {
  repeats_status: 'the message already had this status',
  backwards: 'it would move the message to an earlier status',
  not_on_channel: 'the channel does not have this status',
} as const;

function effectOf({ outcome, reason }: Pick<ReportRow, 'outcome' | 'reason'>): string {
  if (outcome === null) return 'not applied yet';
  if (outcome === 'applied') return 'applied';
  return `recorded, not applied: ${reason === null ? 'no effect' : reasons[reason]}`;
}

/**
 * A report about the message.
 * @param kind of the provider account; undefined if the account is not configured any more
 */
export function reportStep(
  { received_at, applied_at, occurred_at, raw, ...report }: ReportRow,
  recipient: string,
  kind: ProviderKind | undefined,
): Step {
  const { provider, status, outcome, reason, repeats } = report;
  const again = repeats === 0 ? '' : `; received ${countText(repeats, 'more time')} without effect`;
  return {
    at: received_at,
    type: 'report',
    text: `${provider} reported ${status}: ${effectOf(report)}${again}`,
    details: {
      provider,
      status,
      occurred_at,
      applied_at,
      outcome: outcome ?? 'waiting',
      reason,
      repeats,
      raw: maskAddresses(shownOfReport(kind, raw), recipient),
    },
  };
}
