/** What several forms ask about messages. */
import type { Signal } from '@preact/signals';
import { channelOptions } from './channels.js';
import { SelectField, TextField } from './form.js';

export const phoneHint = 'With plus sign and country code, for example +15551234567';

export const ChannelField = ({ channel }: { channel: Signal<string> }) => (
  <SelectField
    name="channel"
    label="Channel"
    options={channelOptions}
    selected={channel.value}
    changed={(value) => (channel.value = value)}
  />
);

export const SendAtField = () => (
  <TextField name="scheduled_at" label="Send at (optional)" type="datetime-local" hint="In your time zone, at most 30 days ahead" />
);
