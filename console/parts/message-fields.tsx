/** What several forms ask about messages. */
import type { Signal } from '@preact/signals';
import { hasPassed } from '../api/clock.js';
import { Problem } from '../api/problem.js';
import { channelOptions } from './channels.js';
import { SelectField, TextField } from './form.js';

/** People write phone numbers with spaces, brackets, dots and dashes, which the API refuses. Any other text stays as it is. */
export function phoneText(given: string): string {
  const number = given.replace(/[\s().-]/g, '');
  return /^\+?\d+$/.test(number) ? number : given.trim();
}

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

/** What is wrong with the time at which something is to be sent. For the API a time in the past is now. In a form it is a mistake. */
export function faultsOfSendAt(at: string | null | undefined): { field: string; message: string }[] {
  const millis = Date.parse(at ?? '');
  if (!hasPassed(millis)) return [];
  const reason = millis > Date.now() ? ' The clock of this device is late.' : '';
  return [{ field: 'scheduled_at', message: `This time has passed.${reason} Choose a later one, or none to send at once` }];
}

/** @throws Problem when the time has passed, perhaps since its preview */
export function assertAhead(at: string | null | undefined): void {
  const [fault] = faultsOfSendAt(at);
  if (fault !== undefined) throw new Problem(400, { error: `${fault.message}.`, details: [fault] });
}
