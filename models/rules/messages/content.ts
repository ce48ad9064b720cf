/** The content of a message, as it is stored. */
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
