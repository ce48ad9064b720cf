/** One contact: write to it, change it, delete it. */
import { useLocation, useRoute } from 'preact-iso';
import { call, type Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { CopyValue } from '../../parts/copy.js';
import { Facts } from '../../parts/facts.js';
import { Resource } from '../../parts/loaded.js';
import { Screen } from '../../parts/screen.js';
import { Time } from '../../parts/time.js';
import { useOneAtATime } from '../../state/actions.js';
import { confirm } from '../../state/confirm.js';
import { useLoad } from '../../state/load.js';
import { notify } from '../../state/notices.js';
import type { ContactChange } from './contact-change.js';
import { ContactForm } from './contact-form.js';

type Shown = Schema<'Contact'>;

export function Contact() {
  const { id = '' } = useRoute().params;
  const list = to('contacts', useLocation().query);
  const read = async (signal?: AbortSignal) =>
    (await call('get', '/api/v1/contacts/{id}', { params: { id }, ...(signal === undefined ? {} : { signal }) })).contact;
  const contact = useLoad<Shown>(id, read);
  const save = async ({ fields, custom }: ContactChange) => {
    // A program may have changed other custom fields since they were shown.
    const body = custom === null ? fields : { ...fields, custom_fields: custom((await read()).custom_fields) };
    const isChanged = Object.keys(body).length > 0;
    const next = isChanged ? (await call('put', '/api/v1/contacts/{id}', { params: { id }, body })).contact : null;
    if (next !== null) contact.replace(next);
    notify('Contact saved.');
    return next;
  };
  const { name, phone, email } = contact.data.value ?? {};
  return (
    <Screen title="Contact" subject={name ?? phone ?? email}>
      <Resource of={contact}>
        {(shown) => (
          <>
            <Links contact={shown} />
            <Facts
              facts={[
                ['Created', <Time key="created" at={shown.created_at} />],
                ['Changed', <Time key="updated" at={shown.updated_at} />],
                ['Id', <CopyValue key="id" value={shown.id} label="the id" />],
              ]}
            />
            <ContactForm contact={shown} action="Save" save={save} more={<a href={list}>Back</a>} />
            <Delete contact={shown} list={list} />
          </>
        )}
      </Resource>
    </Screen>
  );
}

function Links({ contact: { phone, email } }: { contact: Shown }) {
  return (
    <p class="actions">
      {phone !== null && (
        <>
          <a href={to('send', { to: phone })}>Send an SMS</a>
          <a href={to('messages', { to: phone })}>Messages to this number</a>
        </>
      )}
      {email !== null && (
        <>
          <a href={to('send', { to: email, channel: 'email' })}>Send an e-mail</a>
          <a href={to('messages', { to: email })}>Messages to this address</a>
        </>
      )}
    </p>
  );
}

function Delete({ contact: { id, name, phone, email }, list }: { contact: Shown; list: string }) {
  const { isBusy, run } = useOneAtATime();
  const remove = run(async (origin) => {
    const text = `"${name ?? phone ?? email ?? id}" is deleted permanently. Messages that were sent to it stay.`;
    if (!(await confirm({ title: 'Delete this contact?', text, action: 'Delete the contact' }))) return;
    const { message } = await call('delete', '/api/v1/contacts/{id}', { params: { id } });
    notify(message);
    // A step back must not lead to what is gone.
    origin.go(list, true);
  });
  return (
    <p>
      <button type="button" class="danger" aria-disabled={isBusy.value} onClick={remove}>
        Delete
      </button>
    </p>
  );
}
