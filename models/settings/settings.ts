/**
 * Every setting of the program, declared once: name, meaning, check and default.
 * `.env.example` and docs/settings.md are tested against this declaration.
 */
import Joi from 'joi';
import { accountSettings } from './account-settings.js';
import { connectionSettings } from './connection-settings.js';
import { limitSettings } from './limit-settings.js';
import { mcpSettings } from './mcp-settings.js';
import { operatorSettings } from './operator-settings.js';
import { providerSettings } from './provider-settings.js';
import { days, filledList, hostAndPort, list, listOrJson, oneWord, origin, proxy, url, website } from './setting-kinds.js';
import { sendingSettings } from './sending-settings.js';
import { tracingSettings } from './tracing-settings.js';
import { webhookSettings } from './webhook-settings.js';

/** With a Unix socket, its folder is the parameter `host`, and libpq needs no host before the path. */
const withoutHost = /^(postgres(?:ql)?:\/\/(?:[^/?#@]*@)?)(?=\/[^?#]*\?(?:[^#]*&)?host=)/;
const postgres = url('postgres://user:password@127.0.0.1:5432/tidings', 'postgres', 'postgresql').replace(withoutHost, '$1localhost');
const secret = Joi.string().min(32).messages({ 'string.min': '{{#label}} must have at least 32 characters' });
/** A stand-in for Stripe may be on another machine without TLS. The doctor warns that the secret key is then sent in clear text. */
const stripeBase = origin(/^https?:\/\/[^\s/?#@]+\/?$/, 'scheme, host and port, for example https://api.stripe.com');
/** As browsers send it in `Origin`: lower case, no default port, no trailing slash. */
const corsOrigin = Joi.string()
  .allow('*')
  .custom((text: string, helpers) =>
    URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text ? text : helpers.error('origin'),
  )
  .messages({ origin: '{{#label}} must be * or scheme, host and port, for example https://app.example.com' });

/** Environment variable → check, default and meaning. */
export const settings: Record<string, Joi.Schema> = {
  PORT: Joi.number().port().default(3000).description('port of the API'),
  HOST: Joi.string().hostname().default('127.0.0.1').description('address the API listens on'),
  DATA_DIR: Joi.string().default('.data').description('folder of everything kept locally: embedded servers, e-mails, secrets'),
  ...operatorSettings,
  ...tracingSettings,
  PUBLIC_URL: website.description('address of the API as users see it; in e-mails and in callback signatures (default: http://HOST:PORT)'),
  CALLBACK_URL: website.description(
    'address where the sandbox provider reaches the API (default: PUBLIC_URL; with npm start the address on this machine)',
  ),
  TRUSTED_PROXIES: filledList(proxy, 'none')
    .default([])
    .description(
      'addresses or networks of proxies whose X-Forwarded-For is used, comma-separated; required if PUBLIC_URL is https; none means that there is no proxy',
    ),
  CORS_ORIGINS: list(corsOrigin)
    .default([])
    .description('origins whose pages may call the API from a browser, comma-separated; * for all, none when not set'),
  SECURITY_CONTACT: Joi.string()
    .pattern(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+[\d-]+)$/)
    .messages({ 'string.pattern.base': '{{#label}} must be a mailto:, https: or tel: address' })
    .description('contact for reports of vulnerabilities (mailto:, https: or tel:); served in /.well-known/security.txt (RFC 9116)'),
  DATABASE_URL: postgres.description(
    'PostgreSQL, reached directly and not through a pooler such as PgBouncer or RDS Proxy; embedded when not set',
  ),
  MIGRATE_DATABASE_URL: postgres.description(
    'PostgreSQL as the owner of the tables, for npm run migrate alone; then the role of DATABASE_URL gets no more privileges than it needs',
  ),
  DATABASE_POOL_MAX: Joi.number()
    .integer()
    .min(2)
    .max(200)
    .default(10)
    .description('database connections per process; in a worker half of them, in the API two fifths, are for batches'),
  REDIS_URL: url('redis://127.0.0.1:6379', 'redis', 'rediss').description(
    'Redis for the rate limits, not in cluster mode; in memory when not set',
  ),
  TEMPORAL_ADDRESS: hostAndPort.description('Temporal frontend as host:port; a local server is started when not set'),
  TEMPORAL_NAMESPACE: Joi.string().default('default').description('Temporal namespace'),
  TEMPORAL_UI_URL: website.description(
    'address of the Temporal Web UI as users see it: the console links the workflow of each message, for all workspaces',
  ),
  TEMPORAL_CLI_SHA256: Joi.string()
    .pattern(/^[0-9a-fA-F]{64}$/)
    .messages({ 'string.pattern.base': '{{#label}} must be a SHA-256: 64 hexadecimal digits' })
    .description(
      'SHA-256 of the Temporal CLI that npm start may download; another file is not used (default: the start shows the SHA-256)',
    ),
  ...connectionSettings,
  JWT_SECRET: secret.description('signs the JWTs, at least 32 characters; created once when everything is embedded'),
  JWT_SECRETS_OLD: listOrJson(secret)
    .default([])
    .description(
      'former values of JWT_SECRET, comma-separated, or as a list in JSON if one contains a comma: JWTs that they signed are valid until they expire',
    ),
  SECRET_KEY: secret.description(
    'peppers key hashes and encrypts webhook and TOTP secrets, at least 32 characters; created once when everything is embedded. A process does not start with a value other than that of the database',
  ),
  SECRET_KEYS_OLD: listOrJson(secret)
    .default([])
    .description(
      'former values of SECRET_KEY, comma-separated, or as a list in JSON if one contains a comma: what they encrypted or hashed is still read',
    ),
  ...accountSettings,
  STRIPE_SECRET_KEY: oneWord.description(
    'secret key of the payment provider; credits are sold only if STRIPE_WEBHOOK_SECRET is also set; use a live key with real carriers',
  ),
  STRIPE_WEBHOOK_SECRET: oneWord.description(
    'signing secret of the callback /api/v1/billing/webhook; without it payments cannot be credited',
  ),
  STRIPE_API_BASE: stripeBase.default('https://api.stripe.com').description('scheme, host and port of the payment provider'),
  ...limitSettings,
  ...mcpSettings,
  MESSAGE_DAYS: days
    .default(0)
    .description('days after which recipients, texts and metadata of messages are erased; 0 means never; a workspace may set fewer'),
  AUDIT_DAYS: days.default(365).description('days after which audit events are deleted; 0 means never'),
  ...webhookSettings,
  ...providerSettings,
  ...sendingSettings,
  DEMO_RECEIVER: Joi.string()
    .pattern(/^127\.0\.0\.1:\d{1,5}$/)
    .description('set by the local launcher: the address of the receiver of npm run demo'),
};
