/** What a message says, as it is stored. */
import type { WhatsappTemplate } from './whatsapp-template.js';

export interface Content {
  text: string;
  subject?: string;
  html?: string;
  /** whatsapp: sent instead of the text. */
  template?: WhatsappTemplate;
  /** email: the mail carries the headers of a one-click unsubscription. */
  unsubscribe?: boolean;
}
