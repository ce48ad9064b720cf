/** The types of audit events. */
export const auditTypes = [
  'auth.login',
  'auth.login_failed',
  'auth.logout',
  'auth.password_changed',
  'auth.password_reset',
  'auth.totp_enabled',
  'auth.totp_disabled',
  'api_key.created',
  'api_key.revoked',
  'api_key.rotated',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.disabled',
  'webhook.secret_rotated',
  'webhook.portal_opened',
  'suppression.created',
  'suppression.deleted',
  'workspace.created',
  'workspace.email_verified',
  'workspace.email_changed',
  'workspace.closed',
  'workspace.updated',
  'workspace.suspended',
  'workspace.resumed',
  'workspace.exported',
  'workspace.erasure_requested',
  'billing.checkout_created',
  'billing.credits_purchased',
  'billing.payment_reversed',
  'billing.payment_restored',
  'billing.credits_granted',
  'billing.credits_taken',
  'billing.ledger_corrected',
] as const;
export type AuditType = (typeof auditTypes)[number];

/** What audit events are about. */
export const auditTargets = ['workspace', 'api_key', 'session', 'webhook', 'suppression', 'erasure', 'order'] as const;
export type AuditTarget = (typeof auditTargets)[number];

const families = [...new Set(auditTypes.map((type) => type.slice(0, type.indexOf('.'))))];

/** The values of a filter: a type, or all types of a kind (`api_key.*`). */
export const auditFilters: readonly string[] = [...auditTypes, ...families.map((family) => `${family}.*`)];

/** The types that a filter selects. */
export const typesOf = (filter: string): readonly AuditType[] =>
  auditTypes.filter((type) => type === filter || (filter.endsWith('.*') && type.startsWith(filter.slice(0, -1))));
