/** The form of a contact, for a new and for a known one. */
import type { ComponentChildren } from 'preact';
import { FieldGroup, Form, TextField } from '../../parts/form.js';
import { phoneHint } from '../../parts/message-fields.js';
import { TextArea } from '../../parts/text-area.js';
import { useForm } from '../../state/form.js';
import { useKeptSignal } from '../../state/kept.js';
import { changeOf, type ContactChange, type ContactFields, valueText } from './contact-change.js';
import { tagsText } from './mapping.js';

const names = ['name', 'phone', 'email', 'tags', 'custom_fields'] as const;
const addressFields = [
  { name: 'phone', label: 'Phone number', type: 'tel', hint: phoneHint },
  { name: 'email', label: 'E-mail address', type: 'email', hint: 'A contact has a phone number, an e-mail address, or both' },
] as const;
const noContact: ContactFields = { name: null, phone: null, email: null, tags: [], custom_fields: {} };

interface Props {
  contact?: ContactFields;
  action: string;
  save(change: ContactChange): Promise<void>;
  more: ComponentChildren;
}

export function ContactForm({ contact = noContact, action, save, more }: Props) {
  const form = useForm((data) => save(changeOf(data, contact)));
  return (
    <Form form={form} action={action} fields={names} more={more}>
      <TextField name="name" label="Name (optional)" defaultValue={contact.name ?? ''} autocomplete="off" maxLength={255} />
      {addressFields.map((field) => (
        <TextField key={field.name} {...field} defaultValue={contact[field.name] ?? ''} autocomplete="off" />
      ))}
      <Tags text={tagsText(contact.tags)} />
      <CustomFields fields={contact.custom_fields} />
    </Form>
  );
}

const hasLines = (text: string) => /[\r\n]/.test(text);

function Tags({ text }: { text: string }) {
  const given = {
    name: 'tags',
    label: 'Tags (optional)',
    hint: 'Separated by commas; a tag with a comma is in quotation marks. A bulk send can go to all contacts with a tag',
  };
  return hasLines(text) ? <TextArea {...given} value={text} rows={3} /> : <TextField {...given} defaultValue={text} />;
}

/** Names and values that texts can contain as placeholders. */
function CustomFields({ fields }: { fields: ContactFields['custom_fields'] }) {
  const given = Object.entries(fields).map(([name, value]) => [name, valueText(value)] as const);
  const added = useKeptSignal('custom fields', 0);
  const rows = [...given, ...Array.from({ length: added.value }, () => ['', ''] as const)];
  return (
    <FieldGroup name="custom_fields" legend="Custom fields">
      {rows.length === 0 && <p class="note">Texts can contain them as placeholders, for example {'{{ city }}'}.</p>}
      {rows.map(([name, value], at) => (
        // Rows are only ever added at the end.
        <div key={at} class="pair">
          <input name="custom_name" aria-label={`Name of custom field ${at + 1}`} defaultValue={name} />
          <CustomValue label={`Value of custom field ${at + 1}`} value={value} />
        </div>
      ))}
      <button type="button" onClick={() => (added.value += 1)}>
        Add a custom field
      </button>
      <p class="note">A field without a name is removed.</p>
    </FieldGroup>
  );
}

/** An input of one line would lose the line breaks. */
const CustomValue = ({ label, value }: { label: string; value: string }) =>
  hasLines(value) ? (
    <textarea name="custom_value" aria-label={label} rows={3} defaultValue={value} />
  ) : (
    <input name="custom_value" aria-label={label} defaultValue={value} />
  );
