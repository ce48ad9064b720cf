/** The kinds of account mails, and what their texts show. */

export const mailKinds = [
  'verify_email',
  'reset_password',
  'change_email',
  'email_change_asked',
  'password_changed',
  'new_api_key',
  'new_login',
  'login_locked',
  'totp_enabled',
  'totp_disabled',
  'recovery_code_used',
  'workspace_closed',
  'low_balance',
  'webhook_disabled',
] as const;
export type MailKind = (typeof mailKinds)[number];

/** The data of a mail, from the time when it was put into the outbox. */
export interface MailDetail {
  /** Thousandths of a credit. */
  balance?: number;
  url?: string;
  reason?: string;
  /** The names of what still has access to the workspace. */
  keys?: string[];
  webhooks?: string[];
  /** A reset has disabled the second factor. */
  totp_disabled?: boolean;
  recovery_codes_left?: number;
  /** After how many days the body of an event is deleted; 0: never. */
  body_days?: number;
  /** The name of a key, and the address of a client. */
  key?: string;
  address?: string | null;
}
