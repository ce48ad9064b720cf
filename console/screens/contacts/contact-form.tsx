/** The form of a contact, for a new and for a known one. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Schema } from '../../api/call.js';
import { Form, TextField, useFaults } from '../../parts/form.js';
import { textOf, useForm } from '../../state/form.js';
import { tagsIn } from './mapping.js';

type Contact = Pick<Schema<'Contact'>, 'name' | 'phone' | 'email' | 'tags' | 'custom_fields'>;
/** Every field is given; null clears it. */
export type ContactChange = Schema<'UpdateContactRequest'> & Schema<'CreateContactRequest'>;

const names = ['name', 'phone', 'email', 'tags', 'custom_fields'] as const;
const noContact: Contact = { name: null, phone: null, email: null, tags: [], custom_fields: {} };

interface Props {
  contact?: Contact;
  action: string;
  save(change: ContactChange): Promise<void>;
  more: ComponentChildren;
}

export function ContactForm({ contact = noContact, action, save, more }: Props) {
  const form = useForm((data) => save(changeOf(data, contact.custom_fields)));
  return (
    <Form form={form} action={action} fields={names} more={more}>
      <TextField name="name" label="Name (optional)" defaultValue={contact.name ?? ''} autocomplete="off" maxLength={255} />
      <TextField
        name="phone"
        label="Phone number"
        type="tel"
        hint="With plus sign and country code, for example +15551234567"
        defaultValue={contact.phone ?? ''}
        autocomplete="off"
      />
      <TextField
        name="email"
        label="E-mail address"
        type="email"
        hint="A contact has a phone number, an e-mail address, or both"
        defaultValue={contact.email ?? ''}
        autocomplete="off"
      />
      <TextField
        name="tags"
        label="Tags (optional)"
        hint="Separated by commas. A bulk send can go to all contacts with a tag"
        defaultValue={contact.tags.join(', ')}
      />
      <CustomFields fields={contact.custom_fields} />
    </Form>
  );
}

/** Names and values that texts can contain as placeholders. */
function CustomFields({ fields }: { fields: Contact['custom_fields'] }) {
  const id = useId();
  const faults = useFaults('custom_fields');
  const given = Object.entries(fields).map(([name, value]) => [name, asText(value)] as const);
  const added = useSignal(0);
  const rows = [...given, ...Array.from({ length: added.value }, () => ['', ''] as const)];
  return (
    <fieldset aria-describedby={faults.length === 0 ? undefined : id}>
      <legend>Custom fields</legend>
      {rows.length === 0 && <p class="note">Texts can contain them as placeholders, for example {'{{ city }}'}.</p>}
      {rows.map(([name, value], at) => (
        // Rows are only ever added at the end.
        <div key={at} class="pair">
          <input name="custom_name" aria-label={`Name of custom field ${at + 1}`} defaultValue={name} />
          <input name="custom_value" aria-label={`Value of custom field ${at + 1}`} defaultValue={value} />
        </div>
      ))}
      <button type="button" onClick={() => (added.value += 1)}>
        Add a custom field
      </button>
      <p class="note">A field without a name is removed.</p>
      {faults.length > 0 && (
        <p id={id} class="error">
          {faults.join('. ')}
        </p>
      )}
    </fieldset>
  );
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function changeOf(data: FormData, known: Contact['custom_fields']): ContactChange {
  const given = (name: string) => textOf(data, name).trim();
  const orNull = (name: string) => (given(name) === '' ? null : given(name));
  const [customNames, values] = ['custom_name', 'custom_value'].map((name) => data.getAll(name) as string[]);
  const custom = (customNames ?? []).map((name, at) => [name.trim(), values?.[at] ?? ''] as const).filter(([name]) => name !== '');
  return {
    name: orNull('name'),
    phone: orNull('phone'),
    email: orNull('email'),
    tags: tagsIn(given('tags')),
    custom_fields: Object.fromEntries(custom.map(([name, text]) => [name, keptValue(text, known[name])])),
  };
}

/** Programs also store numbers and lists. Whoever does not touch them keeps them. */
const keptValue = (text: string, known: unknown): unknown => (known !== undefined && asText(known) === text ? known : text);
