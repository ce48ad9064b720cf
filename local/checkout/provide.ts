/** Starts the local checkout where nobody has configured a payment provider. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Launch } from '../processes/launch.js';
import { isUnset } from '../plan/plan.js';
import { startCheckout } from './server.js';

/** What the API has to know to take the local checkout for Stripe. */
export interface CheckoutSettings {
  STRIPE_API_BASE: string;
  STRIPE_SECRET_KEY: string;
  STRIPE_WEBHOOK_SECRET: string;
}

/** The port that Stripe's own examples use. */
const usualPort = 4242;
const attempts = 3;

/**
 * @param api address of the API, from here
 * @returns undefined where not everything is embedded, or the user has a payment provider
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
        if (attempt === attempts) throw error; // else another program has just taken the port
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
