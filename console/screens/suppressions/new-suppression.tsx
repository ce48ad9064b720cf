/** Suppress a recipient on a channel. */
import { useLocation } from 'preact-iso';
import { call, type Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { Form, SelectField, TextField } from '../../parts/form.js';
import { channelOptions } from '../../parts/channels.js';
import { phoneText } from '../../parts/message-fields.js';
import { Screen } from '../../parts/screen.js';
import { momentOf } from '../../parts/time.js';
import { textOf, useForm } from '../../state/form.js';
import { notify } from '../../state/notices.js';
import { reasons, reasonTexts } from './reasons.js';

const names = ['channel', 'recipient', 'reason', 'expires_at'] as const;

export function NewSuppression() {
  const { query } = useLocation();
  const form = useForm(async (data, _form, origin) => {
    const expiresAt = momentOf(textOf(data, 'expires_at'));
    await call('post', '/api/v1/suppressions', {
      body: {
        channel: textOf(data, 'channel') as Schema<'Channel'>,
        recipient: phoneText(textOf(data, 'recipient')),
        reason: textOf(data, 'reason') as Schema<'SuppressionReason'>,
        ...(expiresAt === null ? {} : { expires_at: expiresAt }),
      },
    });
    notify('Recipient suppressed.');
    origin.go(to('suppressions'));
  });
  return (
    <Screen title="Suppress a recipient">
      <p>
        Messages to a suppressed recipient on this channel fail with the code suppressed and are refunded, also those that wait already.
      </p>
      <Form form={form} action="Suppress" fields={names} more={<a href={to('suppressions')}>Back</a>}>
        <SelectField name="channel" label="Channel" options={channelOptions} selected={query.channel ?? 'sms'} />
        <TextField
          name="recipient"
          label="Recipient"
          hint="A phone number with plus sign and country code; on the channel E-mail an e-mail address"
          defaultValue={query.recipient ?? ''}
          autocomplete="off"
          required
        />
        <SelectField name="reason" label="Reason" options={reasons.map((name) => [name, reasonTexts[name]])} selected="manual" />
        <TextField name="expires_at" label="Until (optional)" type="datetime-local" hint="Empty: until it is removed" />
      </Form>
    </Screen>
  );
}
