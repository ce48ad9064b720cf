/** The typed settings of a process, made from its environment; they are declared in settings.ts. */
import { resolve } from 'node:path';
import Joi from 'joi';
import { type Channel, forEachChannel } from '../channels.js';
import { readSignupPolicy, type SignupPolicy } from '../rules/accounts/signup-policy.js';
import { connectionFaults, type TemporalServer, temporalServerOf } from './connection-settings.js';
import { type Limits, limitsOf } from './limit-settings.js';
import { type OperatorConfig, operatorConfigOf } from './operator-settings.js';
import { missingText } from './missing-settings.js';
import { channelSetting, type ProviderAccount } from './provider-account.js';
import { carriersOf, neededByRoutes, ownSettings, type Route, routeFaults } from './provider-routes.js';
import { unknownSettings } from './unknown-settings.js';
import { settings } from './settings.js';

interface WebhookConfig {
  webhookAllowedNetworks: string[];
  webhookPorts: number[];
  /** Asked for the names of webhooks; none: those of the system. */
  webhookDnsServers: string[];
  webhookRetryDelaysSeconds: number[];
  /** 0: never. */
  webhookDisableAfterSeconds: number;
  /** After so many days each is forgotten; 0: never. */
  webhookRetentionDays: { bodies: number; attempts: number; deliveries: number };
  webhookFirstAttempt: 'inline' | 'child';
}

/** What a process needs to know of its surroundings. Frozen; made only by `loadConfig`. */
export interface Config extends WebhookConfig, Limits, OperatorConfig {
  port: number;
  host: string;
  dataDir: string;
  publicUrl: string;
  /** Whom finders of a vulnerability tell; undefined: no security.txt. */
  securityContact: string | undefined;
  callbackUrl: string;
  trustedProxies: string[];
  /** As browsers send it in `Origin`, or `*`. */
  corsOrigins: string[];
  databaseUrl: string;
  /** Of the owner of the tables. */
  migrateDatabaseUrl: string;
  databasePoolMax: number;
  redisUrl: string | undefined;
  temporalServer: TemporalServer;
  temporalNamespace: string;
  jwtSecret: string;
  /** `jwtSecret` and those that came before it: JWTs that they signed still count. */
  jwtSecrets: readonly [string, ...string[]];
  secretKey: string;
  /** `secretKey` and those that came before it: what they made is still read. */
  secretKeys: readonly [string, ...string[]];
  smtpUrl: string | undefined;
  mailFrom: string;
  signup: SignupPolicy;
  /** Thousandths of a credit; 0 where a channel has a real carrier, which costs money. */
  signupCredits: number;
  /** Thousandths of a credit below which a workspace gets a mail; 0: never. */
  lowBalance: number;
  stripe: { secretKey: string | undefined; webhookSecret: string | undefined; apiBase: string };
  /** After so many days messages are erased; 0: never. */
  messageDays: number;
  sandboxDelayMs: number;
  /** Channel → accounts that share it. */
  routes: Record<Channel, readonly Route[]>;
  accounts: readonly ProviderAccount[];
  /** No channel has a real carrier: nothing that is sent leaves the house. */
  isSandboxOnly: boolean;
  /** Messages a second by provider, segments of sms; who is not there has no limit. */
  providerLimits: Record<string, number>;
  /** Over which the health of accounts that share a channel is judged. */
  routeWindowSeconds: number;
  reportTimeoutSeconds: Record<Channel, number>;
  handoffTimeoutSeconds: number;
  unknownHandoffSeconds: number;
  acceptTimeoutMs: number;
  acceptGroupMax: number;
  acceptLanes: number;
  /** host:port of the demo's own receiver, let through by the address guard; set by the local launcher only. */
  demoReceiver: string | undefined;
}

/** Thrown by `loadConfig`: `faults` has one sentence for each wrong setting. */
export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(`Bad settings:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Settings that only a complete installation has; the launcher supplies them when parts are embedded. */
export const requiredToRun = ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'JWT_SECRET', 'SECRET_KEY'];

/**
 * Checks the environment and returns the typed settings.
 * @param env names and values, `process.env` in the entry points
 * @param required settings that must be present
 * @throws ConfigError with every fault at once
 */
export function loadConfig(env: NodeJS.ProcessEnv, required: string[] = requiredToRun): Readonly<Config> {
  const declared = { ...settings, ...ownSettings(env) };
  const given = Object.fromEntries(
    Object.keys(declared).flatMap((name) => (env[name] === undefined || env[name] === '' ? [] : [[name, env[name]]])),
  );
  const schema = Joi.object(declared)
    .fork([...required, ...neededByRoutes(given)], (item) => item.required())
    .prefs({ abortEarly: false, errors: { wrap: { label: false } } });
  const { value, error } = schema.validate(given);
  const faults = error?.details.map(({ type, path, message }) => (type === 'any.required' ? missingText(String(path[0])) : message)) ?? [];
  if (!faults.some((fault) => fault.startsWith('PROVIDER_'))) faults.push(...routeFaults(given));
  faults.push(...connectionFaults(given), ...unknownSettings(env, Object.keys(declared)));
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(toConfig(value, given));
}

// oxlint-disable-next-line typescript/no-explicit-any -- the values were just checked against `settings`
type Checked = Record<string, any>;

function toConfig(value: Checked, given: Record<string, string>): Config {
  const carriers = carriersOf(value, given);
  const publicUrl = trimSlash(value.PUBLIC_URL ?? `http://${hostForUrl(value.HOST)}:${value.PORT}`);
  return {
    port: value.PORT,
    host: value.HOST,
    dataDir: resolve(value.DATA_DIR),
    publicUrl,
    securityContact: value.SECURITY_CONTACT,
    callbackUrl: trimSlash(value.CALLBACK_URL ?? publicUrl),
    trustedProxies: value.TRUSTED_PROXIES,
    corsOrigins: value.CORS_ORIGINS,
    databaseUrl: value.DATABASE_URL,
    migrateDatabaseUrl: value.MIGRATE_DATABASE_URL ?? value.DATABASE_URL,
    databasePoolMax: value.DATABASE_POOL_MAX,
    redisUrl: value.REDIS_URL,
    temporalServer: temporalServerOf(given),
    temporalNamespace: value.TEMPORAL_NAMESPACE,
    jwtSecret: value.JWT_SECRET,
    jwtSecrets: [value.JWT_SECRET, ...value.JWT_SECRETS_OLD],
    secretKey: value.SECRET_KEY,
    secretKeys: [value.SECRET_KEY, ...value.SECRET_KEYS_OLD],
    smtpUrl: value.SMTP_URL,
    mailFrom: value.MAIL_FROM,
    signup: readSignupPolicy(value.SIGNUP),
    signupCredits: carriers.isSandboxOnly ? Math.round(value.SIGNUP_CREDITS * 1000) : 0,
    lowBalance: Math.round(value.LOW_BALANCE_CREDITS * 1000),
    stripe: { secretKey: value.STRIPE_SECRET_KEY, webhookSecret: value.STRIPE_WEBHOOK_SECRET, apiBase: value.STRIPE_API_BASE },
    messageDays: value.MESSAGE_DAYS,
    ...limitsOf(value),
    ...operatorConfigOf(value),
    ...webhooksOf(value),
    sandboxDelayMs: value.SANDBOX_DELAY_MS,
    ...carriers,
    providerLimits: Object.fromEntries(
      value.PROVIDER_LIMITS.map((limit: string) => limit.split('=')).map(([name, text]: string[]) => [name, Number(text)]),
    ),
    routeWindowSeconds: value.ROUTE_WINDOW,
    reportTimeoutSeconds: forEachChannel((channel) => value[channelSetting('REPORT_TIMEOUT', channel)]),
    handoffTimeoutSeconds: value.HANDOFF_TIMEOUT,
    unknownHandoffSeconds: value.UNKNOWN_HANDOFF_TIMEOUT,
    acceptTimeoutMs: value.ACCEPT_TIMEOUT_MS,
    acceptGroupMax: value.ACCEPT_GROUP_MAX,
    acceptLanes: value.ACCEPT_LANES,
    demoReceiver: value.DEMO_RECEIVER,
  };
}

function webhooksOf(value: Checked): WebhookConfig {
  return {
    webhookAllowedNetworks: value.WEBHOOK_ALLOWED_NETWORKS,
    webhookPorts: value.WEBHOOK_PORTS,
    webhookDnsServers: value.WEBHOOK_DNS_SERVERS,
    webhookRetryDelaysSeconds: value.WEBHOOK_RETRY_DELAYS,
    webhookDisableAfterSeconds: value.WEBHOOK_DISABLE_AFTER,
    webhookRetentionDays: {
      bodies: value.WEBHOOK_BODY_DAYS,
      attempts: value.WEBHOOK_ATTEMPT_DAYS,
      deliveries: value.WEBHOOK_DELIVERY_DAYS,
    },
    webhookFirstAttempt: value.WEBHOOK_FIRST_ATTEMPT,
  };
}

const trimSlash = (text: string) => text.replace(/\/+$/, '');

/** A wildcard address can be listened on but not called. */
const hostForUrl = (host: string) => (host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host);
