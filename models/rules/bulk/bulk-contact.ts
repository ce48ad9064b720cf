/** Recipients of a bulk send that are contacts: `{contact_id}` without `to`. */
import type { Channel } from '../../channels.js';
import { type Fault, notFoundText } from '../../errors.js';
import { addressField, noAddressText } from '../messages/recipient.js';
import { isStorable } from '../values/text.js';

/** The data of a contact that a bulk send uses. */
export interface BulkContact {
  id: string;
  name: string | null;
  phone: string | null;
  email: string | null;
  custom_fields: Record<string, unknown>;
}

/** The contacts of a request by id, in lower case; undefined if they were not looked up yet. */
export type BulkContacts = ReadonlyMap<string, BulkContact> | undefined;

/** The contact that a recipient names. If there is a `to`, `contact_id` is a variable like any other. */
export function namedContact(recipient: unknown): unknown {
  if (typeof recipient !== 'object' || recipient === null) return undefined;
  const { to, contact_id } = recipient as Record<string, unknown>;
  return (to ?? '') === '' && (contact_id ?? '') !== '' ? contact_id : undefined;
}

/** The address of the contact, or its fault; both null if it was not looked up yet. */
export function recipientAddressOf(
  contacts: BulkContacts,
  named: unknown,
  channel: Channel | null,
  field: string,
): { contact?: BulkContact; to: string | null; fault: Fault | null } {
  const nowhere = (message: string) => ({ to: null, fault: { field, message } });
  if (typeof named !== 'string') return nowhere(`${field} must be a string`);
  if (contacts === undefined) return { to: null, fault: null };
  const contact = contacts.get(named.toLowerCase());
  if (contact === undefined) return nowhere(notFoundText('Contact'));
  if (channel === null) return { to: null, fault: null };
  const to = contact[addressField(channel)];
  return to === null ? nowhere(noAddressText(channel)) : { contact, to, fault: null };
}

/** The values of the contact for placeholders. Its name has precedence over its custom field of that name. */
export function valuesOf({ name, custom_fields }: BulkContact): Map<string, string> {
  const values = new Map<string, string>();
  for (const [field, value] of [...Object.entries(custom_fields), ['name', name] as const]) {
    if (typeof value === 'boolean' || typeof value === 'number' || (typeof value === 'string' && isStorable(value))) {
      values.set(field, String(value));
    }
  }
  return values;
}
