/** Contacts: the recipients of a workspace. */
import Joi from 'joi';
import { mapRows } from '../../../models/rules/values/list-window.js';
import type { ReadTurn } from '../../../models/flow/concurrency-limit.js';
import { searchContacts } from '../../../models/operations/contacts/search-contacts.js';
import { Contact } from '../../../models/tables/contact.js';
import { unreachableContact } from '../../../models/errors.js';
import { createContact, deleteContact, updateContact } from '../../../models/operations/contacts/save-contact.js';
import { endpoint, list } from '../../declare.js';
import { apiKeyOrJwt } from '../../http/endpoint.js';
import { presentContact } from '../../present/presenters.js';
import { dataOf, messageOnly } from '../../http/schemas/schemas.js';
import { mergeFaults } from '../../http/schemas/unknown-fields.js';
import { type Checked, text } from '../../http/schemas/validation.js';
import { successTexts } from '../../present/success-texts.js';
import { type ContactBody, contactFields, contactResponse } from './contact-schemas.js';

const auth = apiKeyOrJwt('manage_contacts');
const oneContact = dataOf('contact', contactResponse);

const contactBody = Joi.object<ContactBody>(contactFields)
  .description('`phone` or `email` is required')
  .meta({ minProperties: 1 })
  .required();

/** Adds the fault of a contact with neither phone nor e-mail address, also to faults of other fields. */
function withAddressFault(checked: Checked<ContactBody>): Promise<Checked<ContactBody>> {
  const { phone, email } = checked.value;
  const isFaulty = checked.faults.some(({ field }) => field === 'phone' || field === 'email');
  if (isFaulty || (phone ?? email ?? null) !== null) return Promise.resolve(checked);
  const faults = mergeFaults(contactBody, checked.faults, unreachableContact().details ?? []);
  return Promise.resolve({ ...checked, faults });
}

export const createContactEndpoint = endpoint({
  id: 'createContact',
  tag: 'contacts',
  method: 'post',
  path: '/api/v1/contacts',
  summary: 'Create a contact with a phone number, an e-mail address, or both',
  auth,
  body: contactBody,
  examine: withAddressFault,
  response: oneContact,
  status: 201,
  async handler({ caller, body: { name = null, phone = null, email = null, tags, custom_fields } }) {
    const fields = { name, phone, email, tags: tags ?? [], custom_fields: custom_fields ?? {} };
    return { contact: presentContact(await createContact(caller.workspaceId, fields)) };
  },
});

export const listContactsEndpoint = list({
  id: 'listContacts',
  tag: 'contacts',
  path: '/api/v1/contacts',
  summary: 'List contacts, newest first',
  auth,
  name: 'contacts',
  row: contactResponse,
  filters: Joi.object<{ search?: string; tag?: string }>({
    search: text().empty(Joi.string().allow('').pattern(/^\s*$/)).description('Part of a name, phone number or e-mail address'),
    tag: text().empty('').description('Exact tag'),
  }),
  inSteps: true,
  async find({ caller: { workspaceId }, filters: { search, tag }, window }, { db, readTurns }) {
    const turn: ReadTurn = (read) => readTurns(read, workspaceId);
    const found =
      search === undefined
        ? await turn(() => Contact.pageOf(workspaceId, tag, window))
        : // A plus sign that was not URL-encoded arrives as a space, which is not part of the number.
          await searchContacts(db, workspaceId, { search: search.trim(), tag }, { window, turn });
    return mapRows(found, presentContact);
  },
});

export const getContactEndpoint = endpoint({
  id: 'getContact',
  tag: 'contacts',
  method: 'get',
  path: '/api/v1/contacts/:id',
  summary: 'Get a contact',
  auth,
  response: oneContact,
  handler: async ({ caller, params }) => ({ contact: presentContact(await Contact.owned(caller.workspaceId, params.id)) }),
});

export const updateContactEndpoint = endpoint({
  id: 'updateContact',
  tag: 'contacts',
  method: 'put',
  path: '/api/v1/contacts/:id',
  summary: 'Change a contact; omitted fields are unchanged, null clears a field',
  auth,
  body: Joi.object<ContactBody>(contactFields).required(),
  response: oneContact,
  async handler({ caller, params, body: { tags, custom_fields, ...rest } }) {
    const change = {
      ...rest,
      ...(tags === undefined ? {} : { tags: tags ?? [] }),
      ...(custom_fields === undefined ? {} : { custom_fields: custom_fields ?? {} }),
    };
    return { contact: presentContact(await updateContact(caller.workspaceId, params.id, change)) };
  },
});

export const deleteContactEndpoint = endpoint({
  id: 'deleteContact',
  tag: 'contacts',
  method: 'delete',
  path: '/api/v1/contacts/:id',
  summary: 'Delete a contact permanently',
  auth,
  response: messageOnly,
  async handler({ caller, params }) {
    await deleteContact(caller.workspaceId, params.id);
    return { message: successTexts.contactDeleted };
  },
});
