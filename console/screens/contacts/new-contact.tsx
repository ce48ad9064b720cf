/** Create a contact. */
import { call } from '../../api/call.js';
import { to } from '../../api/base.js';
import { Screen } from '../../parts/screen.js';
import type { Origin } from '../../state/origin.js';
import { notify } from '../../state/notices.js';
import type { ContactChange } from './contact-change.js';
import { ContactForm } from './contact-form.js';

export function NewContact() {
  const save = async ({ fields, custom }: ContactChange, origin: Origin) => {
    await call('post', '/api/v1/contacts', { body: { ...fields, ...(custom === null ? {} : { custom_fields: custom({}) }) } });
    notify('Contact created.');
    origin.go(to('contacts'));
    return null;
  };
  return (
    <Screen title="Create a contact">
      <ContactForm action="Create" save={save} more={<a href={to('contacts')}>Back</a>} />
    </Screen>
  );
}
