/** Create a contact. */
import { call } from '../../api/call.js';
import { to } from '../../api/base.js';
import { Screen } from '../../parts/screen.js';
import type { Origin } from '../../state/origin.js';
import { toast } from '../../state/toasts.js';
import type { ContactChange } from './contact-change.js';
import { ContactForm } from './contact-form.js';

export function NewContact() {
  const save = async ({ fields, custom }: ContactChange, origin: Origin) => {
    await call('post', '/api/v1/contacts', { body: { ...fields, ...(custom === null ? {} : { custom_fields: custom({}) }) } });
    toast('The contact is created.');
    origin.go(to('contacts'));
    return null;
  };
  return (
    <Screen title="Create a contact">
      <ContactForm action="Create" save={save} more={<a href={to('contacts')}>Back</a>} />
    </Screen>
  );
}
