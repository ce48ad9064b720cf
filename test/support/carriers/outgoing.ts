import { v7 as uuidv7 } from 'uuid';
import type { OutgoingMessage } from '../../../activities/handoff/providers/provider.js';

/** The message that an adapter gets. */
export const outgoing = (changes: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  id: uuidv7(),
  channel: 'sms',
  to: '+15551234567',
  content: { text: 'Hello' },
  reference: null,
  uncertain_ms: null,
  ...changes,
});

/** The same for an e-mail. */
export const outgoingMail = (changes: Partial<OutgoingMessage> = {}): OutgoingMessage =>
  outgoing({ channel: 'email', to: 'ada@example.org', content: { text: 'Hello', subject: 'News' }, ...changes });

/** A signal that never aborts. */
export const never = new AbortController().signal;
