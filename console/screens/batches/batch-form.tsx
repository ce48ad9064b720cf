/** The form of a batch: its columns, its text, and when it is sent. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Sheet } from '../../csv/read-csv.js';
import { CheckField } from '../../parts/check-boxes.js';
import { numberText } from '../../parts/count.js';
import { Form, TextField } from '../../parts/form.js';
import { traitsOf } from '../../parts/channels.js';
import { ChannelField, SendAtField } from '../../parts/message-fields.js';
import { TextArea } from '../../parts/text-area.js';
import { useForm } from '../../state/form.js';
import { check, type Checked } from './check.js';
import { draftOf, fieldOf, fields, textsOf } from './draft.js';
import { channelFor, type Placeholder, placeholdersIn, recipientColumn } from './mapping.js';
import { ColumnFields, PlaceholderButtons } from './column-fields.js';
import { Outcome } from './outcome.js';

interface Props {
  sheet: Sheet;
  /** While the batch is being sent: what is shown is what goes out. */
  isSending: Signal<boolean>;
}

/** The check of what the form has. What was checked is what is sent: a change of the form needs another check. */
function useCheck(sheet: Sheet) {
  const checked = useSignal<{ of: Sheet; answer: Checked } | null>(null);
  const version = useRef(0);
  const form = useForm(async (data, _form, origin) => {
    const { current } = version;
    checked.value = null;
    try {
      const answer = await check(sheet, draftOf(data));
      if (current === version.current) checked.value = { of: sheet, answer };
    } catch (error) {
      // Nobody waits for it any more.
      if (!origin.isLeft()) throw error;
    }
  });
  const drop = () => {
    version.current += 1;
    checked.value = null;
  };
  return { form, version, checked: checked.value?.of === sheet ? checked.value.answer : null, drop };
}

export function BatchForm({ sheet, isSending }: Props) {
  const channel = useSignal<string>(channelFor(sheet));
  const placeholders = useSignal<readonly Placeholder[]>([]);
  const { form, version, checked, drop } = useCheck(sheet);
  // Field → name of the column that the user chose. Another file may have it at another place.
  const chosen = useRef(new Map<string, string>());
  const changed = (element: HTMLFormElement | null) => {
    drop();
    if (element === null) return;
    const found = placeholdersIn(textsOf(new FormData(element)));
    // Another letter of the text is no reason to draw the columns again.
    if (JSON.stringify(found) !== JSON.stringify(placeholders.value)) placeholders.value = found;
  };
  // What is written stays when another file is chosen, unless that has no recipients of this channel.
  useEffect(() => {
    if (recipientColumn(sheet, channel.value) === -1) channel.value = channelFor(sheet);
  }, [sheet, channel]);
  return (
    <>
      <div inert={isSending.value} onInput={(event) => changed((event.target as HTMLElement).closest('form'))}>
        <Form
          form={form}
          action="Preview"
          fields={[...fields, ...placeholders.value.map(({ name }) => fieldOf(name))]}
          more={form.isBusy.value && <span role="status">{`Checking ${numberText(sheet.rows.length)} rows…`}</span>}
        >
          <ChannelField channel={channel} />
          <ContentFields sheet={sheet} channel={channel} />
          <ColumnFields key={sheet} sheet={sheet} channel={channel.value} placeholders={placeholders.value} chosen={chosen.current} />
          <SendingFields />
        </Form>
      </div>
      {checked !== null && <Outcome key={version.current} checked={checked} sheet={sheet} isSending={isSending} />}
    </>
  );
}

function ContentFields({ sheet, channel }: { sheet: Sheet; channel: Signal<string> }) {
  const { hasMailFields } = traitsOf(channel.value);
  return (
    <>
      {hasMailFields && <TextField name="content.subject" label="Subject" />}
      <TextArea name="content.text" label="Text" rows={5} isRequired />
      <PlaceholderButtons sheet={sheet} />
      {hasMailFields && <TextArea name="content.html" label="HTML (optional)" rows={4} />}
    </>
  );
}

function SendingFields() {
  return (
    <>
      <SendAtField />
      <TextField
        name="rate"
        label="Messages per second (optional)"
        inputMode="decimal"
        pattern="\d+([.]\d+)?"
        title="A number, for example 20 or 0.5"
        hint="At most, for example 20 or 0.5; empty: as fast as the carrier accepts them"
      />
      <CheckField name="allow_duplicates">Allow duplicate recipients</CheckField>
    </>
  );
}
