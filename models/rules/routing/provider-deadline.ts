import { type Channel, channelTraits } from '../../channels.js';

/** How long one call to a provider may last. After that its outcome is unknown. */
export const providerDeadlineMs = 10_000;

/**
 * The same for a mail server, which may take minutes to judge a mail before it replies (RFC 5321 §4.5.3.2). It is shorter than a worker that
 * stops waits for its calls, so that no deployment loses a reply.
 */
export const mailServerDeadlineMs = 40_000;

/** The longest wait that a provider may ask for. */
export const providerWaitMsMax = 15 * 60_000;

/** The longest call on this channel, whatever the provider. */
export const longestCallMs = (channel: Channel): number =>
  channelTraits[channel].address === 'email' ? mailServerDeadlineMs : providerDeadlineMs;
