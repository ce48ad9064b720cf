/** The payment provider: whether it accepts the key. Creates nothing. */
import { isOnThisMachine } from '../../support/mail-transport.js';
import { type Check, failed, type Finding, ok, skipped, warning } from '../check.js';

const subject = 'payments';

export const paymentsCheck: Check = {
  subject,
  fix: 'Check STRIPE_API_BASE and the firewall',
  async run({ config, signal }) {
    const { apiBase, secretKey, webhookSecret } = config.stripe;
    if (secretKey === undefined && webhookSecret === undefined) return [skipped(subject, 'no credits are sold: Stripe is not set')];
    if (secretKey === undefined || webhookSecret === undefined) return []; // see `configWarnings`
    const headers = { Authorization: `Bearer ${secretKey}` };
    // A restricted key that may create sessions may also read them.
    const { status } = await fetch(new URL('/v1/checkout/sessions?limit=1', apiBase), { signal, headers, redirect: 'manual' });
    return [keyFinding(status, nameOf(apiBase)), ...clearTextFindings(apiBase)];
  },
};

/** A host that stands in for Stripe, such as the local checkout, is not called Stripe. */
export const nameOf = (apiBase: string) => (apiBase === 'https://api.stripe.com' ? 'Stripe' : new URL(apiBase).host);

function keyFinding(status: number, name: string): Finding {
  if (status === 200) return ok(subject, `${name} accepts the key`);
  if (status === 401) return failed(subject, `${name} refuses the key: nobody can buy credits`, 'Correct STRIPE_SECRET_KEY');
  if (status === 403)
    return failed(subject, 'the key may not use checkout sessions', 'Give the restricted key the permission to write Checkout Sessions');
  return warning(subject, `${name} did not respond as expected (status ${status})`, `Look whether ${name} works, and try again`);
}

/** Over a network, everybody on the way can read the key. */
export function clearTextFindings(apiBase: string): Finding[] {
  const { protocol, hostname } = new URL(apiBase);
  if (protocol === 'https:' || isOnThisMachine(hostname)) return [];
  return [warning(subject, 'STRIPE_API_BASE has no TLS: the secret key is sent in clear text', 'Use https')];
}
