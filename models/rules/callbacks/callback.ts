/** The callbacks of providers in one vocabulary, whatever their wire format. Each provider has a file beside this one. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Channel } from '../../channels.js';
import { type FailureTable, lookUp, type ProviderFailure } from '../failures/provider-failure.js';
import type { ReportStatus } from '../messages/status.js';

/** A request as it was received, before any verification. */
export interface CallbackRequest {
  /** The public URL that the provider called, with the query: some signatures cover it. */
  url: string;
  headers: IncomingHttpHeaders;
  /** The exact bytes. */
  body: Buffer;
  /** When it was received. */
  at: Date;
}

/** One report of a provider about one message. */
export interface IncomingReport {
  /** The name of the account that the message was handed to. */
  provider: string;
  provider_message_id: string;
  status: ReportStatus;
  /** The provider has taken the message, and has not sent it yet. This is news only if the hand-off had no response. */
  isOnlyTaken?: true;
  /** Our message id, if the provider echoes it. Then the report can be matched before the answer to the hand-off is stored. */
  message_id: string | null;
  /** Our public code; null unless the status is `failed`. */
  error_code: string | null;
  /** For a failure: the same message to the same recipient would fail again. */
  is_permanent: boolean;
  /** The provider's own code, for operators. */
  provider_error_code: string | null;
  occurred_at: Date;
  /** The original text. */
  raw: string;
}

/** The failure fields of a report that is not a failure. */
export const noFailure = { error_code: null, is_permanent: false, provider_error_code: null } as const satisfies Partial<IncomingReport>;

/** The status and the failure fields of a report of a failure. @param theirs the provider's own code */
export const failed = ({ code, isPermanent }: ProviderFailure, theirs: string | null) =>
  ({ status: 'failed', error_code: code, is_permanent: isPermanent, provider_error_code: theirs }) as const;

/** The status and the failure fields of a report. @param theirs the provider's own code, which counts for a failure */
export const resultOf = (status: ReportStatus, failures: FailureTable, theirs: string | null) =>
  status === 'failed' ? failed(lookUp(failures, theirs), theirs) : { status, ...noFailure };

/** A message from a person to one of our senders. */
export interface InboundMessage {
  provider: string;
  provider_message_id: string;
  channel: Channel;
  /** The author: E.164 on sms and whatsapp. */
  from: string;
  /** The sender to which it was sent. */
  to: string;
  /** Empty if there is none, for example for an image. */
  text: string;
  /** Null if the carrier does not say when. */
  occurred_at: Date | null;
  raw: string;
}

/** The provider reports that a recipient wants no more messages. It is not read from a text. */
export interface OptOut {
  provider: string;
  channel: Channel;
  recipient: string;
  /** `complaint`: marked as spam. `unsubscribed`: asked for no more messages. */
  reason: 'complaint' | 'unsubscribed';
  /** Our message id, if the provider echoes it; then the provider's. */
  message_id: string | null;
  provider_message_id: string | null;
  /** Null if the carrier does not say when. */
  occurred_at: Date | null;
  raw: string;
}

/** The provider reports that a recipient wants messages again. It is not read from a text. */
export type OptIn = Omit<OptOut, 'reason'>;

/** The provider asks whether its reports are wanted. A request to this URL confirms it. */
interface Confirmation {
  url: string;
}

export type CallbackEvent =
  | ({ kind: 'report' } & IncomingReport)
  | ({ kind: 'inbound' } & InboundMessage)
  | ({ kind: 'opt_out' } & OptOut)
  | ({ kind: 'opt_in' } & OptIn)
  | ({ kind: 'confirmation' } & Confirmation);

/**
 * Verifies a callback of one account and reads its content.
 * @throws AppError forbidden if the signature is absent, wrong or too old; validation_failed if the body is not in the provider's format
 */
export type CallbackReader = (request: CallbackRequest) => CallbackEvent[] | Promise<CallbackEvent[]>;
