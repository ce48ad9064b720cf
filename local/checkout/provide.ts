/** Starts the local checkout if no payment provider is configured. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Launch } from '../processes/launch.js';
import { isUnset } from '../plan/plan.js';
import { startCheckout } from './server.js';

/** The settings with which the API uses the local checkout like Stripe. */
export interface CheckoutSettings {
  STRIPE_API_BASE: string;
  STRIPE_SECRET_KEY: string;
  STRIPE_WEBHOOK_SECRET: string;
}

/** The default port, as in the examples of Stripe. */
const usualPort = 4242;
const attempts = 3;

/**
 * @param api the address of the API, seen from this process
 * @returns undefined if not all servers are embedded, or the user has configured a payment provider
 */
export async function provideCheckout({ plan, output, ports, cancel }: Launch, api: string): Promise<CheckoutSettings | undefined> {
  const { env, config, allEmbedded } = plan;
  if (!allEmbedded || !isUnset(env.STRIPE_SECRET_KEY) || !isUnset(env.STRIPE_API_BASE)) return undefined;
  const secretKey = `sk_test_${newSecret()}`;
  const webhookSecret = isUnset(env.STRIPE_WEBHOOK_SECRET) ? `whsec_${newSecret()}` : env.STRIPE_WEBHOOK_SECRET;
  const state = join(config.dataDir, 'checkout.json');
  let url = '';
  await output.step(async () => {
    for (let attempt = 1; url === ''; attempt += 1) {
      const port = await ports.choose('checkout', usualPort);
      const checkout = await startCheckout({ port, secretKey, webhookSecret, api, state }).catch((error: unknown) => {
        if (attempt === attempts) throw error; // otherwise another program has just taken the port
      });
      if (checkout === undefined) continue;
      if (cancel.aborted) await checkout.close();
      else cancel.addEventListener('abort', () => void checkout.close(), { once: true });
      ({ url } = checkout);
    }
    return `local checkout on ${url}`;
  });
  return { STRIPE_API_BASE: url, STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret };
}

const newSecret = () => randomBytes(24).toString('hex');
