/** Settings of the sending of messages: how they are accepted, the pace of carriers, and how long each step may take. */
import Joi from 'joi';
import { type Channel, channels, channelTraits, forEachChannel } from '../channels.js';
import { channelSetting } from './provider-account.js';
import { type CheckedSettings, list } from './setting-kinds.js';

const providerLimit = Joi.string()
  .pattern(/^[a-z][a-z0-9_-]*=(?!0+(\.0+)?$)\d{1,6}(\.\d{1,3})?$/)
  .messages({ 'string.pattern.base': '{{#label}} must be name=number, for example sandbox=100' });
const seconds = Joi.number().integer().min(1).max(31_536_000);
const reportTimeoutOf = (channel: Channel) =>
  seconds
    .default(channelTraits[channel].reportTimeoutSeconds)
    .description(`seconds to wait for the delivery report of a message on the ${channel} channel`);

export const sendingSettings: Record<string, Joi.Schema> = {
  SANDBOX_DELAY_MS: Joi.number()
    .integer()
    .min(0)
    .max(86_400_000)
    .default(200)
    .description('milliseconds between the steps of the sandbox provider'),
  PROVIDER_LIMITS: list(providerLimit)
    .default([])
    .description('messages per second (sms: segments) that a provider account takes, as name=number, comma-separated; no limit for others'),
  ROUTE_WINDOW: Joi.number()
    .integer()
    .min(2)
    .max(3_600)
    .default(60)
    .description('period in seconds over which the health of accounts that share a channel is computed'),
  ...Object.fromEntries(channels.map((channel) => [channelSetting('REPORT_TIMEOUT', channel), reportTimeoutOf(channel)])),
  HANDOFF_TIMEOUT: seconds
    .default(14_400)
    .description('seconds for which the hand-off of a message is repeated while its provider is unavailable'),
  UNKNOWN_HANDOFF_TIMEOUT: seconds
    .default(120)
    .description('seconds that a message whose hand-off is unknown waits for its delivery report before it fails and is refunded'),
  ACCEPT_TIMEOUT_MS: Joi.number()
    .integer()
    .min(100)
    .max(60_000)
    .default(3000)
    .description('milliseconds a send waits for its workflow before the API fences it'),
  ACCEPT_GROUP_MAX: Joi.number()
    .integer()
    .min(1)
    .max(100)
    .default(100)
    .description('maximum number of single messages that share a workflow when they arrive together; 1: a workflow for every message'),
  ACCEPT_LANES: Joi.number()
    .integer()
    .min(1)
    .max(50)
    .default(1)
    .description('groups per channel that one API process accepts at once; other sends queue'),
};

export interface SendingConfig {
  sandboxDelayMs: number;
  /** Messages per second by provider, segments for sms. A provider without an entry has no limit. */
  providerLimits: Record<string, number>;
  /** The window for the health of accounts that share a channel. */
  routeWindowSeconds: number;
  reportTimeoutSeconds: Record<Channel, number>;
  handoffTimeoutSeconds: number;
  unknownHandoffSeconds: number;
  acceptTimeoutMs: number;
  acceptGroupMax: number;
  acceptConcurrency: number;
}

export const sendingConfigOf = (value: CheckedSettings): SendingConfig => ({
  sandboxDelayMs: value.SANDBOX_DELAY_MS,
  providerLimits: Object.fromEntries(
    value.PROVIDER_LIMITS.map((limit: string) => limit.split('=')).map(([name, text]: string[]) => [name, Number(text)]),
  ),
  routeWindowSeconds: value.ROUTE_WINDOW,
  reportTimeoutSeconds: forEachChannel((channel) => value[channelSetting('REPORT_TIMEOUT', channel)]),
  handoffTimeoutSeconds: value.HANDOFF_TIMEOUT,
  unknownHandoffSeconds: value.UNKNOWN_HANDOFF_TIMEOUT,
  acceptTimeoutMs: value.ACCEPT_TIMEOUT_MS,
  acceptGroupMax: value.ACCEPT_GROUP_MAX,
  acceptConcurrency: value.ACCEPT_LANES,
});
