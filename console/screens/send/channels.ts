/** The channels that a send can choose, with their names for people. */
import type { Schema } from '../../api/call.js';

export const channelOptions = [
  ['sms', 'SMS'],
  ['whatsapp', 'WhatsApp'],
  ['email', 'E-mail'],
] as const satisfies readonly (readonly [Schema<'Channel'>, string])[];
