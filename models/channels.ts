/**
 * The channels and everything that differs between them. Code asks for a trait and never compares the name of a channel,
 * so the compiler names what a new channel must declare.
 */
export const channels = ['sms', 'whatsapp', 'email'] as const;
export type Channel = (typeof channels)[number];

/** The field of a contact with its address on a channel. The rules for each kind are in `rules/messages/recipient.ts`. */
export type AddressKind = 'phone' | 'email';

/** What a message costs, in thousandths of a credit. */
type Price = { perMessage: number } | { perPart: number; partCodePoints: number };

interface ChannelTraits {
  /** In texts for people. */
  label: string;
  address: AddressKind;
  price: Price;
  /** The unit and the size of the longest content. `bytes` counts text and html together. */
  contentMax: { unit: 'codePoints' | 'bytes'; size: number };
  /** The message shows segments and encoding, as a mobile network splits it. Information only. */
  hasSegments: boolean;
  /** `subject`, `html` and `unsubscribe` are kept and sent. Other channels drop them. */
  hasMailFields: boolean;
  /** `template` (a template that the channel has approved) is kept and sent. */
  hasApprovedTemplates: boolean;
  /** Providers report `read`. Other channels ignore such a report. */
  hasReadReceipts: boolean;
  /** A permanent failure puts the recipient on the suppression list, as does a refusal by the provider's own list. */
  suppressesBounces: boolean;
  /** Default of the setting `REPORT_TIMEOUT_…`. */
  reportTimeoutSeconds: number;
}

const day = 86_400;

export const channelTraits: Readonly<Record<Channel, ChannelTraits>> = {
  sms: {
    label: 'SMS',
    address: 'phone',
    price: { perPart: 1000, partCodePoints: 160 },
    contentMax: { unit: 'codePoints', size: 1600 },
    hasSegments: true,
    hasMailFields: false,
    hasApprovedTemplates: false,
    hasReadReceipts: false,
    suppressesBounces: false,
    reportTimeoutSeconds: 3 * day,
  },
  whatsapp: {
    label: 'WhatsApp',
    address: 'phone',
    price: { perMessage: 500 },
    contentMax: { unit: 'codePoints', size: 1600 },
    hasSegments: false,
    hasMailFields: false,
    hasApprovedTemplates: true,
    hasReadReceipts: true,
    suppressesBounces: false,
    reportTimeoutSeconds: day,
  },
  email: {
    label: 'e-mail',
    address: 'email',
    price: { perMessage: 100 },
    contentMax: { unit: 'bytes', size: 90 * 1024 },
    hasSegments: false,
    hasMailFields: true,
    hasApprovedTemplates: false,
    hasReadReceipts: false,
    suppressesBounces: true,
    reportTimeoutSeconds: day,
  },
};

/** The channel of a group without messages. Nothing depends on it. */
export const someChannel: Channel = channels[0];

/** True for the name of a channel. */
export const isChannel = (value: unknown): value is Channel => channels.some((channel) => channel === value);

/** One value for each channel. */
export const forEachChannel = <Value>(make: (channel: Channel) => Value): Record<Channel, Value> =>
  Object.fromEntries(channels.map((channel) => [channel, make(channel)])) as Record<Channel, Value>;

/** The channels that reach a recipient by this kind of address. */
export const channelsTo = (kind: AddressKind): Channel[] => channels.filter((channel) => channelTraits[channel].address === kind);
