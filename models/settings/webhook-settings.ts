/** Settings of webhooks: where they may lead, when a delivery is repeated, and how long its data is kept; see docs/webhooks.md. */
import Joi from 'joi';
import { type CheckedSettings, days, filledList, list, network } from './setting-kinds.js';

/** The schedule of the Standard Webhooks example: ten attempts, the first at once, then after these delays in seconds. */
export const defaultRetryDelays = '5,300,1800,7200,18000,36000,50400,72000,86400';

export const webhookSettings: Record<string, Joi.Schema> = {
  WEBHOOK_ALLOWED_NETWORKS: list(network)
    .default([])
    .description('networks (CIDR) that the webhook address guard lets through, comma-separated'),
  WEBHOOK_PORTS: filledList(Joi.number().port()).default([443, 8443]).description('ports that webhooks may use'),
  WEBHOOK_RETRY_DELAYS: filledList(Joi.number().min(0).max(604_800))
    .default(defaultRetryDelays.split(',').map(Number))
    .description('retry schedule: seconds before each further delivery attempt, comma-separated'),
  WEBHOOK_DISABLE_AFTER: Joi.number()
    .integer()
    .min(0)
    .max(31_536_000)
    .default(432_000)
    .description('seconds after which a webhook whose endpoint acknowledges nothing is disabled; 0 means never'),
  WEBHOOK_BODY_DAYS: days
    .default(30)
    .description('days after which event bodies are deleted; the event can no longer be resent; 0 means never'),
  WEBHOOK_ATTEMPT_DAYS: days.default(90).description('days after which the attempts of a delivery are deleted; 0 means never'),
  WEBHOOK_DELIVERY_DAYS: days.default(365).description('days after which deliveries are deleted; 0 means never'),
  WEBHOOK_FIRST_ATTEMPT: Joi.string()
    .valid('inline', 'child')
    .default('inline')
    .description(
      'where first attempts run: inline (with the message) or child (in a workflow for each event); events that are left to the retrier at once are not affected',
    ),
};

export interface WebhookConfig {
  webhookAllowedNetworks: string[];
  webhookPorts: number[];
  /** The DNS servers for the host names of webhooks; empty: those of the system. */
  webhookDnsServers: string[];
  webhookRetryDelaysSeconds: number[];
  /** 0: never. */
  webhookDisableAfterSeconds: number;
  /** After how many days each kind of data is deleted; 0: never. */
  webhookRetentionDays: { bodies: number; attempts: number; deliveries: number };
  webhookFirstAttempt: 'inline' | 'child';
}

export const webhookConfigOf = (value: CheckedSettings): WebhookConfig => ({
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
});
