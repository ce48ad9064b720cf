/** The channels, and what the forms ask for on each. A channel of the API that is missing here is a fault of types. */
import type { Schema } from '../api/call.js';

type Channel = Schema<'Channel'>;
/** The field of a contact with its address, and the kind of that address. */
type Address = 'phone' | 'email';

interface ChannelTraits {
  /** Its name for people. */
  text: string;
  address: Address;
  /** Its messages have a subject and HTML. */
  hasMailFields: boolean;
}

const channelTraits: Readonly<Record<Channel, ChannelTraits>> = {
  sms: { text: 'SMS', address: 'phone', hasMailFields: false },
  whatsapp: { text: 'WhatsApp', address: 'phone', hasMailFields: false },
  email: { text: 'E-mail', address: 'email', hasMailFields: true },
};

export const channels = Object.keys(channelTraits) as Channel[];

/** The channels with their names, as a choice. */
export const channelOptions = channels.map((channel) => [channel, channelTraits[channel].text] as const);

/** @param channel of the address of a page, or the value of a field; an unknown one counts as an SMS */
export const traitsOf = (channel: string): ChannelTraits =>
  Object.hasOwn(channelTraits, channel) ? channelTraits[channel as Channel] : channelTraits.sms;

/** The first channel whose recipients have such an address. */
export const channelTo = (address: Address): Channel => channels.find((channel) => channelTraits[channel].address === address) ?? 'sms';
