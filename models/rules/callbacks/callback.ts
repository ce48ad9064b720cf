/** What providers tell us over HTTP, in one vocabulary whatever their wire format. One file a provider beside this one. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Channel } from '../../channels.js';
import type { ReportStatus } from '../messages/status.js';

/** A request as it came, before anything of it is believed. */
export interface CallbackRequest {
  /** The public address that the provider called, query included: some signatures cover it. */
  url: string;
  headers: IncomingHttpHeaders;
  /** The exact bytes. */
  body: Buffer;
  /** When it came. */
  at: Date;
}

/** One statement of a provider about one message. */
export interface IncomingReport {
  /** Name of the account that the message was handed to. */
  provider: string;
  provider_message_id: string;
  status: ReportStatus;
  /** Our message id, where the provider echoes it: the report can be matched before the hand-off's answer is stored. */
  message_id: string | null;
  /** Our public code; null unless `failed`. */
  error_code: string | null;
  /** Of a failure: the same message to the same recipient would fail again. */
  is_permanent: boolean;
  /** The provider's own code, for operators. */
  provider_error_code: string | null;
  occurred_at: Date;
  /** What the provider said, word for word. */
  raw: string;
}

/** What a report that is no failure says of failures. */
export const noFailure = { error_code: null, is_permanent: false, provider_error_code: null } as const satisfies Partial<IncomingReport>;

/** A message that somebody wrote to one of our senders. */
export interface InboundMessage {
  provider: string;
  provider_message_id: string;
  channel: Channel;
  /** Who wrote: E.164 on sms and whatsapp. */
  from: string;
  /** Our sender that was written to. */
  to: string;
  /** Empty where there was none, as with an image. */
  text: string;
  occurred_at: Date;
  raw: string;
}

/** A recipient wants no more messages, said through the provider and not by a text. */
export interface OptOut {
  provider: string;
  channel: Channel;
  recipient: string;
  /** `complaint`: marked as spam. `unsubscribed`: asked to be left alone. */
  reason: 'complaint' | 'unsubscribed';
  /** Our message id, where the provider echoes it; then the provider's. */
  message_id: string | null;
  provider_message_id: string | null;
  occurred_at: Date;
  raw: string;
}

/** The provider asks whether its reports are wanted: yes, if this address is asked for. */
interface Confirmation {
  url: string;
}

export type CallbackEvent =
  | ({ kind: 'report' } & IncomingReport)
  | ({ kind: 'inbound' } & InboundMessage)
  | ({ kind: 'opt_out' } & OptOut)
  | ({ kind: 'confirmation' } & Confirmation);

/**
 * Verifies a callback of one account and reads all that is in it.
 * @throws AppError 403 for a signature that is absent, wrong or too old; 400 for a body that is not the provider's
 */
export type CallbackReader = (request: CallbackRequest) => CallbackEvent[] | Promise<CallbackEvent[]>;
