/** The part of the error catalogue for what the state of a workspace or of a resource does not permit: `conflict` and `limit_reached`. */
import { channelsTo } from './channels.js';
import { AppError, type ResourceName } from './errors.js';
import { countText } from './rules/values/text.js';
import type { CountedQuotas } from './settings/limit-settings.js';

const conflict = (message: string) => new AppError('conflict', message);

/** @param verb what was asked for, such as `cancelled` */
export const canNoLonger = (resource: ResourceName, verb: string) => conflict(`${resource} can no longer be ${verb}`);
export const inactiveWebhook = () => conflict('Webhook is inactive. Activate it before sending to it');
/** The retention or an erasure has deleted the body of the event. */
export const deliveryWithoutBody = () => conflict('Delivery cannot be sent again, because the body of its event was deleted');
export const exportRunning = () => conflict('An export of this workspace is running already');
/** Replies come from phones. */
const channelsOfReplies = new Intl.ListFormat('en-GB').format(channelsTo('phone'));
/** The recipient has opted out. */
export const recipientsSuppression = () =>
  conflict(
    `The recipient created this suppression. Only the recipient (on ${channelsOfReplies} by replying START) or the operator can remove it`,
  );
export const totpAlreadyEnabled = () => conflict('TOTP is already enabled');
export const totpNotSetUp = () => conflict('There is no TOTP secret to confirm');
export const totpNotEnabled = () => conflict('TOTP is not enabled');

/** @param nouns what is counted: one, and many if that is not the noun with an s */
const limitReached = (whose: string, max: number, nouns: Nouns) =>
  new AppError('limit_reached', `${whose} can have at most ${countText(max, ...nouns)}`);

type Nouns = readonly [one: string, many?: string];

/** The quotas of a workspace that count rows. */
export type QuotaName = keyof CountedQuotas;

const quotaNames: Readonly<Record<QuotaName, Nouns>> = {
  apiKeys: ['API key'],
  webhooks: ['webhook'],
  replays: ['replay under way', 'replays under way'],
  openBatches: ['open batch', 'open batches'],
  streams: ['open stream'],
};

/** The workspace has as many items as the quota permits. */
export const quotaReached = (of: QuotaName, max: number) => limitReached('A workspace', max, quotaNames[of]);
export const mcpSendsReached = (max: number) => limitReached('A workspace', max, ['MCP message per day', 'MCP messages per day']);
export const tooManyPlaceholders = (max: number) => limitReached('A content', max, ['placeholder']);
export const dryRunTooLarge = (max: number) => limitReached('A dry run of a replay', max, ['delivery', 'deliveries']);
export const usageTooLarge = (max: number) => limitReached('The period of a usage report', max, ['message']);
