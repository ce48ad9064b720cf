/** Amazon SES: exceptions of `SendEmail`, and bounces and complaints as `type/subtype`. https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html */
import { type FailureTable, hard, optedOut, soft } from './provider-failure.js';

export const sesFailures: FailureTable = {
  MessageRejected: hard('30007'), // a virus, or content that is not permitted
  NotVerified: soft('sender_refused'), // MessageRejected, recognized by its text
  MailFromDomainNotVerifiedException: soft('sender_refused'),
  BadRequestException: hard('invalid_content'),
  NotFoundException: soft('sender_refused'), // no such configuration set
  'Permanent/General': hard('30008'),
  'Permanent/NoEmail': hard('30008'),
  'Permanent/Suppressed': hard('suppressed'),
  'Permanent/OnAccountSuppressionList': hard('suppressed'),
  'Permanent/UnsubscribedRecipient': optedOut,
  'Complaint/OnAccountSuppressionList': optedOut,
  'Transient/General': soft('30006'),
  'Transient/MailboxFull': soft('30006'),
  'Transient/MessageTooLarge': hard('invalid_content'),
  'Transient/ContentRejected': soft('30007'),
  'Transient/AttachmentRejected': soft('30007'),
  Reject: hard('30007'), // a virus
  'Rendering Failure': hard('invalid_content'),
};
