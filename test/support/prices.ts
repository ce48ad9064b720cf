/** Prices for tests that are about something else. Those of the prices themselves repeat them as numbers. */
import { forEachChannel } from '../../models/channels.js';
import { priceOf } from '../../models/rules/billing/credits.js';

/** What a short text costs on each channel, in thousandths of a credit. */
export const prices = forEachChannel((channel) => priceOf(channel, 'x'));
