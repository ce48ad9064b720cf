/** The form of a batch: its columns, its text, and when it is sent. */
import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Sheet } from '../../csv/read-csv.js';
import { Form, SelectField, TextField } from '../../parts/form.js';
import { TextArea } from '../../parts/text-area.js';
import { textOf, useForm } from '../../state/form.js';
import { channelOptions } from '../send/channels.js';
import { check, type Checked } from './check.js';
import { draftOf, fieldOf, fields, textFields } from './draft.js';
import { channelFor, placeholdersIn } from './mapping.js';
import { ColumnFields, PlaceholderButtons } from './column-fields.js';
import { Outcome } from './outcome.js';

export function BatchForm({ sheet }: { sheet: Sheet }) {
  const channel = useSignal<string>(channelFor(sheet));
  const texts = useSignal('');
  const checked = useSignal<Checked | null>(null);
  // What was checked is what is sent: a change of the form needs another look.
  const version = useRef(0);
  const changed = (form: HTMLFormElement | null) => {
    version.current += 1;
    checked.value = null;
    if (form !== null) texts.value = textFields.map((name) => textOf(new FormData(form), name)).join('\n');
  };
  const form = useForm(async (data) => {
    const { current } = version;
    checked.value = null;
    const answer = await check(sheet, draftOf(data));
    if (current === version.current) checked.value = answer;
  });
  const placeholders = placeholdersIn(texts.value);
  return (
    <>
      <div onInput={(event) => changed((event.target as HTMLElement).closest('form'))}>
        <Form
          form={form}
          action="Preview"
          fields={[...fields, ...placeholders.map(({ name }) => fieldOf(name))]}
          more={form.isBusy.value && <span role="status">{`Checking ${sheet.rows.length.toLocaleString()} rows…`}</span>}
        >
          <SelectField
            name="channel"
            label="Channel"
            options={channelOptions}
            selected={channel.value}
            changed={(value) => (channel.value = value)}
          />
          <ContentFields sheet={sheet} channel={channel} />
          <ColumnFields sheet={sheet} channel={channel.value} placeholders={placeholders} />
          <SendingFields />
        </Form>
      </div>
      {checked.value !== null && <Outcome key={version.current} checked={checked.value} sheet={sheet} />}
    </>
  );
}

function ContentFields({ sheet, channel }: { sheet: Sheet; channel: Signal<string> }) {
  const isEmail = channel.value === 'email';
  return (
    <>
      {isEmail && <TextField name="content.subject" label="Subject" />}
      <TextArea name="content.text" label="Text" rows={5} isRequired />
      <PlaceholderButtons sheet={sheet} />
      {isEmail && <TextArea name="content.html" label="HTML (optional)" rows={4} />}
    </>
  );
}

function SendingFields() {
  return (
    <>
      <TextField name="scheduled_at" label="Send at (optional)" type="datetime-local" hint="In your time zone, at most 30 days ahead" />
      <TextField
        name="rate"
        label="Messages a second (optional)"
        inputMode="decimal"
        pattern="\d+([.]\d+)?"
        hint="At most; empty: as fast as the provider takes them"
      />
      <p class="field">
        <label class="inline">
          <input type="checkbox" name="allow_duplicates" /> Send more than once to a recipient who is there more than once
        </label>
      </p>
    </>
  );
}
