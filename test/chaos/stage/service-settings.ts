/** The settings of the service in the battery: no limit refuses a request, and waits of hours in production take seconds. */

/** The waits of a message, in seconds except for the last. The settle time of a run depends on them. */
export const waits = {
  /** Longer than any nemesis, because a report within this time must count. */
  UNKNOWN_HANDOFF_TIMEOUT: '40',
  REPORT_TIMEOUT_SMS: '30',
  REPORT_TIMEOUT_WHATSAPP: '30',
  REPORT_TIMEOUT_EMAIL: '30',
  HANDOFF_TIMEOUT: '300',
  ROUTE_WINDOW: '10',
  /** With the default, a machine with too few processors would fence all sends, and nothing else would be tested. */
  ACCEPT_TIMEOUT_MS: '6000',
};

const retryDelays = [1, 1, 2, 3, 5, 8, ...Array.from({ length: 14 }, () => 10)];
/** How many attempts a delivery has before it fails. */
export const webhookAttempts = retryDelays.length + 1;

/** @param publicUrl where carriers post their reports */
export const serviceSettings = (publicUrl: string): NodeJS.ProcessEnv => ({
  ...waits,
  PUBLIC_URL: publicUrl,
  LOG_LEVEL: 'info',
  SIGNUP_CREDITS: '100',
  RATE_LIMIT_API: '100000/60',
  RATE_LIMIT_JWT: '100000/60',
  RATE_LIMIT_BULK: '100000/60',
  RATE_LIMIT_AUTH: '100000/60',
  RATE_LIMIT_LOGIN: '100000/60',
  MAX_WEBHOOKS: '1000',
  MAX_OPEN_BATCHES: '10000',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  WEBHOOK_RETRY_DELAYS: retryDelays.join(','),
  WEBHOOK_DISABLE_AFTER: '0',
  SANDBOX_DELAY_MS: '300',
});
