/** Schema parts for recipients whose channel is another field. */
import { isChannel } from '../../../models/channels.js';
import { faultOfRecipient } from '../../../models/rules/messages/recipient.js';
import { rule, text } from './validation.js';

/** The description of a recipient. */
export const recipientAbout = 'E.164 phone number, or the e-mail address on the channel email';

/** Checks a recipient by the rules of the channel beside it. If the channel is invalid, only the channel is reported. */
export const recipientOfChannel = rule((to: string, { channel }) => (isChannel(channel) ? faultOfRecipient(channel, to) : null));

/** A recipient in a query. A plus sign that was not URL-encoded arrives as a space, and no recipient contains a space. */
export const recipientInQuery = () => text().custom((value: string) => value.replaceAll(' ', '+'));
