/** The typed settings of a process, made from its environment. settings.ts declares them. */
import { resolve } from 'node:path';
import Joi from 'joi';
import type { Channel } from '../channels.js';
import type { ProviderAccount } from '../rules/routing/provider-kinds.js';
import type { Route } from '../rules/routing/route.js';
import { readSignupPolicy, type SignupPolicy } from '../rules/accounts/signup-policy.js';
import { toThousandths } from '../rules/billing/credits.js';
import { connectionFaults, type TemporalServer, temporalServerOf } from './connection-settings.js';
import { type Limits, limitsOf } from './limit-settings.js';
import { type McpConfig, mcpConfigOf } from './mcp-settings.js';
import { type OperatorConfig, operatorConfigOf } from './operator-settings.js';
import { routingOf, neededByAccounts, ownSettings, routeFaults } from './provider-routes.js';
import { type SendingConfig, sendingConfigOf } from './sending-settings.js';
import { type TracingConfig, tracingConfigOf } from './tracing-settings.js';
import { unknownSettings } from './unknown-settings.js';
import { faultsIn } from './setting-faults.js';
import type { CheckedSettings } from './setting-kinds.js';
import { settings } from './settings.js';
import { type WebhookConfig, webhookConfigOf } from './webhook-settings.js';

/** All settings of a process. Frozen. Only `loadConfig` creates it. */
export interface Config extends WebhookConfig, Limits, McpConfig, OperatorConfig, SendingConfig {
  tracing: TracingConfig;
  port: number;
  host: string;
  dataDir: string;
  publicUrl: string;
  /** The contact for reports of vulnerabilities; undefined: no security.txt. */
  securityContact: string | undefined;
  callbackUrl: string;
  trustedProxies: string[];
  /** As browsers send them in `Origin`, or `*`. */
  corsOrigins: string[];
  databaseUrl: string;
  /** The connection of the role that owns the tables. */
  migrateDatabaseUrl: string;
  databasePoolMax: number;
  redisUrl: string | undefined;
  temporalServer: TemporalServer;
  temporalNamespace: string;
  /** Without a slash at its end. */
  temporalUiUrl: string | undefined;
  jwtSecret: string;
  /** `jwtSecret` and the earlier secrets. JWTs that they signed are still valid. */
  jwtSecrets: readonly [string, ...string[]];
  secretKey: string;
  /** `secretKey` and the earlier keys. What they encrypted can still be decrypted. */
  secretKeys: readonly [string, ...string[]];
  smtpUrl: string | undefined;
  mailFrom: string;
  signup: SignupPolicy;
  /** Thousandths of a credit; 0 if a channel has a real carrier, which costs money. */
  signupCredits: number;
  /** A workspace whose balance falls below this gets a mail. In thousandths of a credit; 0: never. */
  lowBalance: number;
  stripe: { secretKey: string | undefined; webhookSecret: string | undefined; apiBase: string };
  /** After how many hours without a request a session of the console ends. */
  consoleIdleHours: number;
  /** After how many days messages are erased; 0: never. */
  messageDays: number;
  /** After how many days audit events are deleted; 0: never. */
  auditDays: number;
  /** Channel → the accounts that share it. */
  routes: Record<Channel, readonly Route[]>;
  accounts: readonly ProviderAccount[];
  /** The channels that use the sandbox. */
  sandboxChannels: readonly Channel[];
  /** All channels use the sandbox, so that no message leaves the installation. */
  isSandboxOnly: boolean;
  /** host:port of the demo's own receiver, which the address guard permits. Only the local launcher sets it. */
  demoReceiver: string | undefined;
}

/** Thrown by `loadConfig`. `faults` has one sentence for each wrong setting. */
export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(`Bad settings:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Settings that only a complete installation has. The launcher supplies them if parts are embedded. */
export const requiredToRun = ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'JWT_SECRET', 'SECRET_KEY'];

/**
 * Checks the environment and returns the typed settings.
 * @param env names and values, `process.env` in the entry points
 * @param required settings that must be present
 * @throws ConfigError with all faults together
 */
export function loadConfig(env: NodeJS.ProcessEnv, required: readonly string[] = requiredToRun): Readonly<Config> {
  const declared = { ...settings, ...ownSettings(env) };
  const given = Object.fromEntries(
    Object.keys(declared).flatMap((name) => (env[name] === undefined || env[name] === '' ? [] : [[name, env[name]]])),
  );
  // As Joi's `fork` does, in a seventh of its time.
  for (const name of [...required, ...neededByAccounts(given)]) declared[name] = (declared[name] as Joi.Schema).required();
  const schema = Joi.object(declared).prefs({ abortEarly: false, errors: { wrap: { label: false } } });
  const { value, error } = schema.validate(given);
  const faults = faultsIn(error);
  if (!faults.some((fault) => fault.startsWith('PROVIDER_'))) faults.push(...routeFaults(given));
  faults.push(...connectionFaults(given), ...unknownSettings(env, Object.keys(declared)));
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(toConfig(value, given));
}

function toConfig(value: CheckedSettings, given: Record<string, string>): Config {
  const routing = routingOf(value, given);
  return {
    dataDir: resolve(value.DATA_DIR),
    ...apiOf(value),
    ...serversOf(value, given),
    ...secretsOf(value),
    ...workspacesOf(value, routing.isSandboxOnly),
    ...limitsOf(value),
    ...mcpConfigOf(value),
    ...operatorConfigOf(value, given),
    ...tracingConfigOf(value),
    ...webhookConfigOf(value),
    ...routing,
    ...sendingConfigOf(value),
    demoReceiver: value.DEMO_RECEIVER,
  };
}

/** Where the API listens, its addresses, and whom it answers. */
function apiOf(value: CheckedSettings) {
  const publicUrl = trimSlash(value.PUBLIC_URL ?? `http://${hostForUrl(value.HOST)}:${value.PORT}`);
  return {
    port: value.PORT,
    host: value.HOST,
    publicUrl,
    securityContact: value.SECURITY_CONTACT,
    callbackUrl: trimSlash(value.CALLBACK_URL ?? publicUrl),
    trustedProxies: value.TRUSTED_PROXIES,
    corsOrigins: value.CORS_ORIGINS,
  };
}

/** PostgreSQL, Redis and Temporal. */
const serversOf = (value: CheckedSettings, given: Record<string, string>) => ({
  databaseUrl: value.DATABASE_URL,
  migrateDatabaseUrl: value.MIGRATE_DATABASE_URL ?? value.DATABASE_URL,
  databasePoolMax: value.DATABASE_POOL_MAX,
  redisUrl: value.REDIS_URL,
  temporalServer: temporalServerOf(given),
  temporalNamespace: value.TEMPORAL_NAMESPACE,
  temporalUiUrl: value.TEMPORAL_UI_URL === undefined ? undefined : trimSlash(value.TEMPORAL_UI_URL),
});

const secretsOf = (value: CheckedSettings): Pick<Config, 'jwtSecret' | 'jwtSecrets' | 'secretKey' | 'secretKeys'> => ({
  jwtSecret: value.JWT_SECRET,
  jwtSecrets: [value.JWT_SECRET, ...value.JWT_SECRETS_OLD],
  secretKey: value.SECRET_KEY,
  secretKeys: [value.SECRET_KEY, ...value.SECRET_KEYS_OLD],
});

/** Sign-up, credits, payments and mails of workspaces, and how long their messages are kept. */
const workspacesOf = (value: CheckedSettings, isSandboxOnly: boolean) => ({
  smtpUrl: value.SMTP_URL,
  mailFrom: value.MAIL_FROM,
  consoleIdleHours: value.CONSOLE_IDLE_HOURS,
  signup: readSignupPolicy(value.SIGNUP),
  signupCredits: isSandboxOnly ? toThousandths(value.SIGNUP_CREDITS) : 0,
  lowBalance: toThousandths(value.LOW_BALANCE_CREDITS),
  stripe: { secretKey: value.STRIPE_SECRET_KEY, webhookSecret: value.STRIPE_WEBHOOK_SECRET, apiBase: value.STRIPE_API_BASE },
  messageDays: value.MESSAGE_DAYS,
  auditDays: value.AUDIT_DAYS,
});

const trimSlash = (text: string) => text.replace(/\/+$/, '');

/** A wildcard address can be listened on, but not called. */
const hostForUrl = (host: string) => (['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.replace(/^.*:.*$/, '[$&]'));
