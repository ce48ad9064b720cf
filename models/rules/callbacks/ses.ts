/** Amazon SES, which sends its events through SNS. https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html */
import type { AccountOf } from '../routing/provider-kinds.js';
import { invalidCallbackSignature } from '../../errors.js';
import { sesFailures } from '../failures/ses.js';
import { type CallbackEvent, type CallbackRequest, type IncomingReport, type OptOut, noFailure, resultOf } from './callback.js';
import { echoOf, type Json, momentOf, parseJson } from './json-body.js';
import { type CertificateAt, isConfirmation, verifyEnvelope } from './sns.js';

/** The subtype of a complaint about an earlier mail: because of it, SES did not send this mail. */
const ownList = 'OnAccountSuppressionList';

type Account = Pick<AccountOf<'ses'>, 'name' | 'topicArn' | 'snsBase' | 'allowsSha1'>;

/**
 * Verifies a callback and reads its event; none if the event has no counterpart here. The first callback of a topic requests a
 * confirmation.
 * @throws AppError forbidden if the envelope is not of our topic or not signed by SNS, validation_failed if the body is not JSON
 */
export async function readSesCallback(
  account: Account,
  { body, at }: Pick<CallbackRequest, 'body' | 'at'>,
  certificateAt: CertificateAt,
): Promise<CallbackEvent[]> {
  const envelope = parseJson(body);
  await verifyEnvelope(envelope, account, at, certificateAt);
  if (envelope.Type === 'SubscriptionConfirmation') {
    if (!isConfirmation(envelope.SubscribeURL, account.snsBase)) throw invalidCallbackSignature();
    return [{ kind: 'confirmation', url: envelope.SubscribeURL }];
  }
  if (envelope.Type !== 'Notification') return [];
  const event = published(envelope.Message);
  return typeof event?.mail?.messageId === 'string' ? eventsOf(account.name, event, at) : [];
}

/** The event in a notification. SES also publishes a plain sentence when it has checked that it may publish to the topic. */
function published(message: unknown): Json {
  try {
    return JSON.parse(String(message));
  } catch {
    return null;
  }
}

function eventsOf(provider: string, event: Json, at: Date): CallbackEvent[] {
  const { mail } = event;
  const source: Source = {
    provider,
    provider_message_id: mail.messageId,
    message_id: echoOf(mail.tags?.message_id?.[0]),
    raw: JSON.stringify(event),
  };
  const sentAt = momentOf(mail.timestamp, at);
  // The field of a published event, and of a notification without a configuration set.
  switch (event.eventType ?? event.notificationType) {
    case 'Send':
      return [{ kind: 'report', ...source, status: 'sent', ...noFailure, occurred_at: sentAt }];
    case 'Delivery':
      return [{ kind: 'report', ...source, status: 'delivered', ...noFailure, occurred_at: momentOf(event.delivery?.timestamp, at) }];
    case 'Bounce':
      if (isAutomaticReply(event.bounce)) return [];
      return [
        { kind: 'report', ...source, ...bounceOf(event.bounce), occurred_at: momentOf(event.bounce?.timestamp, at) },
        ...optRequestsOf(source, event, at),
      ];
    case 'Reject':
    case 'Rendering Failure':
      return [{ kind: 'report', ...source, ...failureOf(event.eventType), occurred_at: sentAt }];
    default:
      return optRequestsOf(source, event, at);
  }
}

type Source = Pick<IncomingReport, 'provider' | 'provider_message_id' | 'message_id' | 'raw'>;

function optRequestsOf(source: Source, { mail, bounce, complaint, subscription, ...event }: Json, at: Date): CallbackEvent[] {
  const optRequest = { ...source, channel: 'email', recipient: String(mail.destination?.[0] ?? '') } as const;
  const optOut = (reason: OptOut['reason'], moment: unknown): CallbackEvent => {
    return { kind: 'opt_out', ...optRequest, reason, occurred_at: momentOf(moment, at) };
  };
  switch (event.eventType ?? event.notificationType) {
    case 'Bounce': // SES did not send the mail
      return bounce?.bounceSubType === 'UnsubscribedRecipient' ? [optOut('unsubscribed', bounce.timestamp)] : [];
    case 'Complaint': {
      const { complaintFeedbackType, complaintSubType, timestamp } = complaint ?? {};
      if (complaintFeedbackType === 'not-spam') return []; // the recipient corrects a spam filter
      const optOuts = [optOut('complaint', timestamp)];
      if (complaintSubType !== ownList) return optOuts;
      return [{ kind: 'report', ...source, ...failureOf(`Complaint/${ownList}`), occurred_at: momentOf(timestamp, at) }, ...optOuts];
    }
    case 'Subscription': {
      const { timestamp, newTopicPreferences: now, oldTopicPreferences: before } = subscription ?? {};
      if (now?.unsubscribeAll === true) return [optOut('unsubscribed', timestamp)];
      const isBack = now?.unsubscribeAll === false && before?.unsubscribeAll === true; // otherwise only topics changed
      return isBack ? [{ kind: 'opt_in', ...optRequest, occurred_at: momentOf(timestamp, at) }] : [];
    }
    default:
      return [];
  }
}

/** SES reports an automatic reply, such as an out-of-office note, as a bounce. A mail server's report of a failure has a status or a diagnosis. */
function isAutomaticReply(bounce: Json): boolean {
  const { bounceType, bounceSubType, bouncedRecipients } = bounce ?? {};
  if (bounceType !== 'Transient' || bounceSubType !== 'General' || !Array.isArray(bouncedRecipients)) return false;
  return bouncedRecipients.length > 0 && bouncedRecipients.every((each: Json) => !each?.status && !each?.diagnosticCode && !each?.action);
}

const bounceOf = (bounce: Json) => failureOf(`${bounce?.bounceType}/${bounce?.bounceSubType}`);

const failureOf = (theirs: string) => resultOf('failed', sesFailures, theirs);
