/** The content of a message, as it is stored, and its fields on each channel. */
import { type Channel, channelTraits } from '../../channels.js';
import type { WhatsappTemplate } from './whatsapp-template.js';

export interface Content {
  text: string;
  subject?: string;
  html?: string;
  /** On a channel with approved templates: sent instead of the text. */
  template?: WhatsappTemplate;
  /** email: the mail has the headers of one-click unsubscription. */
  unsubscribe?: boolean;
}

/** The content without the fields that the channel does not have. */
export const contentOn = (channel: Channel, content: Content): Content => ({ text: content.text, ...fieldsBesideText(channel, content) });

/** The fields of the content that the channel has, except the text. */
export function fieldsBesideText(channel: Channel, { text: _, template, ...mail }: Content): Omit<Content, 'text'> {
  const { hasMailFields, hasApprovedTemplates } = channelTraits[channel];
  return { ...(hasMailFields ? mail : {}), ...(hasApprovedTemplates && template !== undefined ? { template } : {}) };
}
