/** Whom a message can go to. */
import type { Channel } from '../../channels.js';
import { isEmail } from '../values/email.js';
import { isPhone } from '../values/phone.js';

export const phoneText = 'Phone number must be in E.164 format';
export const emailText = 'Invalid email address';

/** What a contact is reached by on a channel: the name of that field. */
export const addressField = (channel: Channel) => (channel === 'email' ? 'email' : 'phone');

/** What is said of a contact that a channel does not reach. */
export const noAddressText = (channel: Channel) => (channel === 'email' ? 'Contact has no e-mail address' : 'Contact has no phone number');

/** What is wrong with a recipient of this channel; null when nothing is. */
export function faultOfRecipient(channel: Channel, to: string): string | null {
  if (channel === 'email') return isEmail(to) ? null : emailText;
  return isPhone(to) ? null : phoneText;
}

/** Two recipients with the same key are the same one: letter case does not matter in addresses. */
export const recipientKey = (channel: Channel, to: string) => (channel === 'email' ? to.toLowerCase() : to);
