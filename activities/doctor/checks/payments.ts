/** The payment provider: whether its two settings are there, and whether it accepts the key. Creates nothing. */
import { keyMode } from '../../../models/rules/billing/key-mode.js';
import type { Config } from '../../../models/settings/config.js';
import { isOnThisMachine } from '../../support/mail-transport.js';
import { type Check, failed, type Finding, ok, skipped, warning } from '../check.js';

const subject = 'payments';

export const paymentsCheck: Check = {
  subject,
  fix: 'Check STRIPE_API_BASE and the firewall',
  async run({ config, signal }) {
    const missing = missingFinding(config);
    if (missing !== null) return [missing];
    const { apiBase, secretKey } = config.stripe;
    const headers = { Authorization: `Bearer ${secretKey}` };
    // A restricted key that may create sessions may also read them.
    const { status } = await fetch(new URL('/v1/checkout/sessions?limit=1', apiBase), { signal, headers, redirect: 'manual' });
    return [keyFinding(status), ...clearTextFindings(apiBase), ...modeFindings(config)];
  },
};

/** Null if both settings are there. */
function missingFinding({ stripe: { secretKey, webhookSecret } }: Pick<Config, 'stripe'>): Finding | null {
  if (secretKey === undefined && webhookSecret === undefined) return skipped(subject, 'no credits are sold: Stripe is not set');
  if (secretKey === undefined)
    return failed(subject, 'no credits are sold: STRIPE_SECRET_KEY is missing', 'Set it, or remove STRIPE_WEBHOOK_SECRET');
  if (webhookSecret === undefined)
    return failed(subject, 'no credits are sold: STRIPE_WEBHOOK_SECRET is missing', 'Set it, or remove STRIPE_SECRET_KEY');
  return null;
}

function keyFinding(status: number): Finding {
  if (status === 200) return ok(subject, 'Stripe accepts the key');
  if (status === 401) return failed(subject, 'Stripe refuses the key: nobody can buy credits', 'Correct STRIPE_SECRET_KEY');
  if (status === 403)
    return failed(subject, 'the key may not use checkout sessions', 'Give the restricted key the permission to write Checkout Sessions');
  return warning(subject, `did not answer as expected (status ${status})`, 'Look at the status page of Stripe, and try again');
}

/** Over a network, everybody on the way can read the key. */
export function clearTextFindings(apiBase: string): Finding[] {
  const { protocol, hostname } = new URL(apiBase);
  if (protocol === 'https:' || isOnThisMachine(hostname)) return [];
  return [warning(subject, 'STRIPE_API_BASE has no TLS: the secret key is sent in clear text', 'Use https')];
}

const modeSubject = 'payment mode';

function modeFindings({ isSandboxOnly, stripe }: Pick<Config, 'isSandboxOnly' | 'stripe'>): Finding[] {
  const mode = keyMode(stripe.secretKey);
  if (mode === 'live' && isSandboxOnly)
    return [
      warning(modeSubject, 'real money is paid for messages of the sandbox', 'Set a test key of Stripe, or the carriers of the channels'),
    ];
  if (mode === 'test' && !isSandboxOnly)
    return [failed(modeSubject, 'messages of real carriers can be paid for with test cards', 'Set a live key of Stripe')];
  return [];
}
