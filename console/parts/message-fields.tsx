/** What several forms ask about messages. */
import type { Signal } from '@preact/signals';
import type { Schema } from '../api/call.js';
import { SelectField, TextField } from './form.js';

/** The channels, with their names for people. */
const channelTexts = { sms: 'SMS', whatsapp: 'WhatsApp', email: 'E-mail' } as const satisfies Record<Schema<'Channel'>, string>;
export const channels = Object.keys(channelTexts) as Schema<'Channel'>[];

export const phoneHint = 'With plus sign and country code, for example +15551234567';

export const ChannelField = ({ channel }: { channel: Signal<string> }) => (
  <SelectField
    name="channel"
    label="Channel"
    options={Object.entries(channelTexts)}
    selected={channel.value}
    changed={(value) => (channel.value = value)}
  />
);

export const SendAtField = () => (
  <TextField name="scheduled_at" label="Send at (optional)" type="datetime-local" hint="In your time zone, at most 30 days ahead" />
);
