/** The form of a contact, for a new and for a known one. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { FieldGroup, Form, TextField } from '../../parts/form.js';
import { phoneHint } from '../../parts/message-fields.js';
import { TextArea } from '../../parts/text-area.js';
import { isAsSent, useForm } from '../../state/form.js';
import { useKeptSignal } from '../../state/kept.js';
import type { Origin } from '../../state/origin.js';
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
  /** @returns the contact as it is stored now; null: as before */
  save(change: ContactChange, origin: Origin): Promise<ContactFields | null>;
  more: ComponentChildren;
}

export function ContactForm({ contact = noContact, action, save, more }: Props) {
  // What the form began with: its changes are found by it, also when the contact is another one by now.
  const begun = useSignal(contact);
  const added = useKeptSignal('custom fields', 0);
  const form = useForm(async (data, element, origin) => {
    const next = await save(changeOf(data, begun.value), origin);
    // What the API made of the values is shown, unless something was written meanwhile.
    if (next === null || !isAsSent(element, data)) return;
    element.reset();
    added.value = 0;
    begun.value = next;
  });
  const shown = begun.value;
  return (
    <Form form={form} action={action} fields={names} more={more}>
      <TextField name="name" label="Name (optional)" defaultValue={shown.name ?? ''} autocomplete="off" maxLength={255} />
      {addressFields.map((field) => (
        <TextField key={field.name} {...field} defaultValue={shown[field.name] ?? ''} autocomplete="off" />
      ))}
      <Tags text={tagsText(shown.tags)} />
      <CustomFields fields={shown.custom_fields} added={added} />
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
function CustomFields({ fields, added }: { fields: ContactFields['custom_fields']; added: Signal<number> }) {
  const given = Object.entries(fields).map(([name, value]) => [name, valueText(value)] as const);
  const rows = [...given, ...Array.from({ length: added.value }, () => ['', ''] as const)];
  const add = ({ form }: HTMLButtonElement) => {
    added.value += 1;
    // After it is drawn.
    requestAnimationFrame(() => [...(form?.querySelectorAll<HTMLElement>('[name=custom_name]') ?? [])].at(-1)?.focus());
  };
  return (
    <FieldGroup name="custom_fields" legend="Custom fields">
      {rows.length === 0 && <p class="note">Texts can contain them as placeholders, for example {'{{ city }}'}.</p>}
      {rows.length > 0 && (
        <p class="pair" aria-hidden="true">
          <span>Name</span>
          <span>Value</span>
        </p>
      )}
      {rows.map(([name, value], at) => (
        // Rows are only ever added at the end.
        <div key={at} class="pair">
          <input name="custom_name" aria-label={`Name of custom field ${at + 1}`} defaultValue={name} />
          <CustomValue label={`Value of custom field ${at + 1}`} value={value} />
        </div>
      ))}
      <button type="button" onClick={({ currentTarget }) => add(currentTarget)}>
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
