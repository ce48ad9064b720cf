/** What texts for people say of all channels. It follows from their traits, so a new channel is named everywhere. */
import { type Channel, channels, channelTraits } from '../../models/channels.js';
import { formatCredits } from '../../models/rules/billing/credits.js';

const labelOf = (channel: Channel) => channelTraits[channel].label;
const inWords = (words: readonly string[]) => new Intl.ListFormat('en-GB').format(words);

/** All channels in words: "SMS, WhatsApp and e-mail". */
export const channelsInWords = inWords(channels.map(labelOf));

/** The channels with approved templates, by their names in the API. */
export const templateChannelsInWords = inWords(channels.filter((channel) => channelTraits[channel].hasApprovedTemplates));

/** All prices in words: "SMS 1 for each 160 characters, WhatsApp 0.5 and e-mail 0.1". */
export const pricesInWords = inWords(
  channels.map((channel) => {
    const { price } = channelTraits[channel];
    const [thousandths, unit] =
      'perPart' in price ? [price.perPart, ` for each ${price.partCodePoints} characters`] : [price.perMessage, ''];
    return `${labelOf(channel)} ${formatCredits(thousandths)}${unit}`;
  }),
);
