/** Settings of webhooks: where they may lead, when a delivery is repeated, and how long its data is kept; see docs/webhooks.md. */
import { isIP, isIPv4, isIPv6 } from 'node:net';
import Joi from 'joi';
import { type CheckedSettings, days, filledList, list, network, partsOf } from './setting-kinds.js';

/** The schedule of the Standard Webhooks example: ten attempts, the first at once, then after these delays in seconds. */
export const defaultRetryDelays: readonly number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/** The length of the schedule, for texts. */
export const defaultRetryHours = Math.round(defaultRetryDelays.reduce((sum, delay) => sum + delay, 0) / 3_600);
/** Longer than the schedule, its jitter included. */
export const defaultDisableAfterDays = 5;

export const webhookSettings: Record<string, Joi.Schema> = {
  WEBHOOK_ALLOWED_NETWORKS: list(network)
    .default([])
    .description('networks (CIDR) that the webhook address guard lets through, comma-separated'),
  WEBHOOK_PORTS: filledList(Joi.number().port()).default([443, 8443]).description('ports that webhooks may use'),
  WEBHOOK_DNS_SERVERS: Joi.string()
    .allow('')
    .custom((text: string, helpers) => {
      const servers = partsOf(text);
      return servers.every(isDnsServer) ? servers : helpers.error('dns');
    })
    .messages({ dns: '{{#label}} must be addresses, each with a port where it is not 53, comma-separated' })
    .default([])
    .description('DNS servers that are asked for the names of webhooks, comma-separated (default: those of the system)'),
  WEBHOOK_RETRY_DELAYS: filledList(Joi.number().min(0).max(604_800))
    .default(defaultRetryDelays)
    .description('retry schedule: seconds before each further delivery attempt, comma-separated'),
  WEBHOOK_DISABLE_AFTER: Joi.number()
    .integer()
    .min(0)
    .max(31_536_000)
    .default(defaultDisableAfterDays * 86_400)
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

/** `192.0.2.1`, `192.0.2.1:5353`, `[2001:db8::1]:53` or `2001:db8::1`. Node ends the process for the port 0. */
function isDnsServer(server: string): boolean {
  if (server.includes('%')) return false; // a zone has a meaning on one machine only
  if (isIP(server) !== 0) return true;
  const [, ipv6, ipv4 = '', port = '53'] = /^(?:\[(.+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(server) ?? [];
  const isAddress = ipv6 === undefined ? isIPv4(ipv4) : isIPv6(ipv6);
  return isAddress && Number(port) >= 1 && Number(port) <= 65_535;
}

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
