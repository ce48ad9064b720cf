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
 * @returns undefined if not all servers are embedded, or the user has configured a payment provider or a real carrier
 */
export async function provideCheckout(launch: Launch, api: string): Promise<CheckoutSettings | undefined> {
  const { env, config, allEmbedded } = launch.plan;
  if (!allEmbedded || !isUnset(env.STRIPE_SECRET_KEY) || !isUnset(env.STRIPE_API_BASE)) return undefined;
  if (!config.isSandboxOnly) {
    launch.output.note('no local checkout: a real carrier is set, so credits must be paid for. Set STRIPE_SECRET_KEY to sell them');
    return undefined;
  }
  const secretKey = `sk_test_${newSecret()}`;
  const webhookSecret = isUnset(env.STRIPE_WEBHOOK_SECRET) ? `whsec_${newSecret()}` : env.STRIPE_WEBHOOK_SECRET;
  const state = join(config.dataDir, 'checkout.json');
  const start: Start = (port) => startCheckout({ port, secretKey, webhookSecret, api, state });
  const url = await launch.output.step(
    () => startOnFreePort(launch, start),
    (at) => `local checkout on ${at}`,
  );
  return { STRIPE_API_BASE: url, STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret };
}

type Start = (port: number) => ReturnType<typeof startCheckout>;

/** Tries again if another program has just taken the port. The checkout ends with the launcher. @returns its URL */
async function startOnFreePort({ ports, cancel }: Launch, start: Start): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await ports.choose('checkout', usualPort);
    const checkout = await start(port).catch((error: unknown) => {
      if (attempt === attempts) throw error;
    });
    if (checkout === undefined) continue;
    if (cancel.aborted) await checkout.close();
    else cancel.addEventListener('abort', () => void checkout.close(), { once: true });
    return checkout.url;
  }
}

const newSecret = () => randomBytes(24).toString('hex');
