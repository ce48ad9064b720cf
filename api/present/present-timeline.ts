/** The public shape of a message's timeline: the steps so far in order, and the step that the message waits for. */
import type { EventRow, Timeline } from '../../models/operations/messages/read-timeline.js';
import { toCredits } from '../../models/rules/billing/credits.js';
import { unlessErased } from '../../models/rules/contacts/erasure.js';
import { adviceOn } from '../../models/rules/messages/error-codes.js';
import type { ProviderKind } from '../../models/rules/routing/provider-kinds.js';
import { countText } from '../../models/rules/values/text.js';
import { upcomingEnd, type WaitLimits, waitingFor } from '../../models/rules/messages/waiting.js';
import { attemptStep, reportStep } from './carrier-steps.js';
import { type Step, stepTypes } from './timeline-step.js';

/** Finds the kind of a provider account by its name. */
export type KindOf = (provider: string) => ProviderKind | undefined;

export function presentTimeline(timeline: Timeline, limits: WaitLimits, kindOf: KindOf) {
  const { message, workflowId } = timeline;
  const waiting = waitingFor(timeline, limits, new Date());
  return {
    message_id: message.id,
    channel: message.channel,
    status: message.status,
    status_detail: message.status_detail,
    workflow_id: workflowId,
    waiting_for: waiting === null ? null : { ...waiting, until: upcomingEnd(waiting, new Date())?.toISOString() ?? null },
    steps: stepsOf(timeline, kindOf).map(({ at, type, text, details }) => ({ at: at.toISOString(), type, text, details })),
  };
}

function stepsOf(timeline: Timeline, kindOf: KindOf): Step[] {
  const { message, attempts, reports, events } = timeline;
  const steps = [
    ...statusSteps(timeline),
    ...moneySteps(timeline),
    ...transferSteps(timeline),
    ...attempts.map(attemptStep),
    ...reports.map((report) => reportStep(report, message.to, kindOf(report.provider))),
    ...eventSteps(events),
    ...fallbackSteps(timeline),
  ];
  const rank = ({ type }: Step) => stepTypes.indexOf(type);
  return steps.toSorted((one, other) => one.at.getTime() - other.at.getTime() || rank(one) - rank(other));
}

function statusSteps({ message }: Timeline): Step[] {
  const { provider, provider_message_id, error_code, error_message, batch_id, scheduled_at, expires_at } = message;
  const steps: (Omit<Step, 'at'> & { at: Date | null })[] = [
    { at: message.created_at, type: 'accepted', text: 'The message was accepted', details: { batch_id, scheduled_at, expires_at } },
    {
      at: message.sent_at,
      type: 'sent',
      text: `${provider} accepted the message`,
      details: { provider, provider_message_id: unlessErased(provider_message_id) },
    },
    { at: message.delivered_at, type: 'delivered', text: 'Delivered to the recipient', details: {} },
    { at: message.read_at, type: 'read', text: 'Read by the recipient', details: {} },
    {
      at: message.failed_at,
      type: 'failed',
      text: error_message ?? 'The message failed',
      details: { error_code, advice: adviceOn(error_code) },
    },
  ];
  return steps.flatMap(({ at, ...rest }) => (at === null ? [] : { at, ...rest }));
}

/** The credit transactions. The transaction of a batch covers all its messages, so a step shows the share of this message, too. */
function moneySteps({ message, entries }: Timeline): Step[] {
  return entries.map(({ id, kind, amount, description, created_at }) => {
    const share = message.batch_id === null ? amount : Math.sign(amount) * message.cost;
    const details = { transaction_id: id, amount: toCredits(share), transaction_amount: toCredits(amount) };
    return { at: created_at, type: kind === 'refund' ? 'refunded' : 'charged', text: description, details };
  });
}

/** Charges that moved within its chain. With them the amounts add up to what the message costs. */
function transferSteps({ message, transfers }: Timeline): Step[] {
  return transfers.map(({ from_id, to_id, amount, created_at }) => {
    const isTaken = to_id === message.id;
    const text = isTaken ? 'Takes over a part of the charge of an earlier message' : 'A later message takes over a part of the charge';
    const details = { amount: toCredits(isTaken ? -amount : amount), message_id: isTaken ? from_id : to_id };
    return { at: created_at, type: 'charged', text: `${text}, which is not refunded`, details };
  });
}

const fallbackTexts = {
  sent: 'Fallback sent',
  not_needed: 'Fallback not needed',
  unaffordable: 'Fallback not sent: insufficient credits',
  unknown: 'No further fallback: one may have been sent before the database was restored',
} as const;

function fallbackSteps({ message, chain }: Timeline): Step[] {
  if (chain === null) return [];
  const { fallback_of, outcome, next_id, decided_at } = chain;
  return [
    ...(fallback_of === null
      ? []
      : [{ at: message.created_at, type: 'fallback' as const, text: 'Sent as the fallback of another message', details: { fallback_of } }]),
    ...(outcome === null || decided_at === null
      ? []
      : [{ at: decided_at, type: 'fallback' as const, text: fallbackTexts[outcome], details: { outcome, message_id: next_id } }]),
  ];
}

function eventSteps(events: EventRow[]): Step[] {
  const written = new Map(events.map(({ event_id, type, created_at }) => [event_id, { type, created_at }]));
  return [
    ...[...written].map(([event_id, { type, created_at }]) => ({
      at: created_at,
      type: 'event' as const,
      text: type,
      details: { event_id, event: type },
    })),
    ...events.flatMap((event) => (event.delivery_id === null ? [] : deliveryStep(event))),
  ];
}

function deliveryStep({ created_at, type, webhook_url, ...delivery }: EventRow): Step {
  const attempts = delivery.attempts === null ? '' : `, ${countText(delivery.attempts, 'attempt')}`;
  return {
    at: created_at,
    type: 'delivery',
    text: `${type} to the webhook at ${new URL(webhook_url).host}: ${delivery.status}${attempts}`, // its path and query may contain secrets
    details: { event: type, ...delivery },
  };
}
