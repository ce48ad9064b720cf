/** The environment of API, worker and scripts: that of the user, with the additions of the launcher. */
import { type Config, loadConfig } from '../models/settings/config.js';
import type { CheckoutSettings } from './checkout/provide.js';
import { isUnset, type Plan } from './plan/plan.js';
import type { Secrets } from './state/secrets.js';
import { userEnvironment } from './plan/user-environment.js';

/** Credits granted at signup if all servers are embedded, so that a first message can be sent. */
const embeddedSignupCredits = '100';

/** Here no load balancer has to see it, and somebody waits for Ctrl-C. */
const embeddedDrainSeconds = '1';

/** What the launcher has started or chosen. */
export interface StartedServers {
  port: number;
  databaseUrl: string;
  temporalAddress: string;
  /** The Web UI of the embedded Temporal; null if it is not embedded. */
  temporalUi: string | null;
  /** Only if all servers are embedded. */
  embedded: { secrets: Secrets; demoReceiver: string; checkout?: CheckoutSettings | undefined } | undefined;
}

/**
 * Builds the environment from which the other processes load their settings.
 * @throws ConfigError when a setting is missing
 */
export function serviceEnvironment(plan: Plan, made: StartedServers): { env: NodeJS.ProcessEnv; config: Readonly<Config> } {
  const env = environmentOf(plan, made);
  // A public address may lead here only later, through a proxy or a tunnel. Without reports the messages of the sandbox would stay sent.
  if (isUnset(env.CALLBACK_URL)) env.CALLBACK_URL = addressHere(env);
  return { env, config: loadConfig(env) };
}

function environmentOf(plan: Plan, made: StartedServers): NodeJS.ProcessEnv {
  return {
    ...userEnvironment(plan),
    DATA_DIR: plan.config.dataDir,
    DRAIN_SECONDS: isUnset(plan.env.DRAIN_SECONDS) ? embeddedDrainSeconds : plan.env.DRAIN_SECONDS,
    PORT: String(made.port),
    DATABASE_URL: made.databaseUrl,
    TEMPORAL_ADDRESS: made.temporalAddress,
    ...(made.temporalUi === null || !isUnset(plan.env.TEMPORAL_UI_URL) ? {} : { TEMPORAL_UI_URL: made.temporalUi }),
    ...(made.embedded === undefined ? {} : embeddedSettings(plan.env, made.embedded)),
  };
}

const addressHere = (env: NodeJS.ProcessEnv): string => loadConfig({ ...env, PUBLIC_URL: undefined }).publicUrl;

/**
 * Settings of the user that commands need too, with those that they are refused without: an https PUBLIC_URL needs TRUSTED_PROXIES. Other
 * settings of the user, such as credentials of carriers, are not written to disk.
 */
const shared = new Set(['HOST', 'PORT', 'PUBLIC_URL', 'TEMPORAL_NAMESPACE', 'TRUSTED_PROXIES']);

/** What `models/settings/environment.ts` gives to the operator's commands: what the launcher has added, and where the service is. */
export const settingsForCommands = (user: NodeJS.ProcessEnv, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name, value]) => shared.has(name) || user[name] !== value));

/** The address of the API, seen from this machine. The public address may not be reachable from here. */
export const localAddress = (plan: Plan, made: StartedServers): string => addressHere(environmentOf(plan, made));

function embeddedSettings(
  user: NodeJS.ProcessEnv,
  { secrets, demoReceiver, checkout }: NonNullable<StartedServers['embedded']>,
): NodeJS.ProcessEnv {
  return {
    JWT_SECRET: isUnset(user.JWT_SECRET) ? secrets.jwt_secret : user.JWT_SECRET,
    SECRET_KEY: isUnset(user.SECRET_KEY) ? secrets.secret_key : user.SECRET_KEY,
    SIGNUP_CREDITS: isUnset(user.SIGNUP_CREDITS) ? embeddedSignupCredits : user.SIGNUP_CREDITS,
    DEMO_RECEIVER: demoReceiver,
    ...checkout,
  };
}
