/** The contacts of a bulk send: recipients given by `contact_id`, or all contacts with a tag. */
import type { Database } from '../../../models/db/database.js';
import { invalidField } from '../../../models/errors.js';
import { bulkContactsById, bulkContactsByTag } from '../../../models/operations/contacts/find-bulk-contacts.js';
import { hasPhoneNumbers } from '../../../models/rules/messages/recipient.js';
import { planBulk, planWithin, recipientsMax } from '../../../models/rules/bulk/bulk.js';
import type { Scope } from '../../../models/rules/accounts/api-key.js';
import { type BulkContact, namedContact } from '../../../models/rules/bulk/bulk-contact.js';
import type { BulkBody } from './bulk-schemas.js';

/**
 * Adds the data of the contacts to the body, and validates the result. A body without contacts is returned unchanged.
 * @param unitsMax see `PlanLimits`
 * @throws AppError 400 when no contact, or too many contacts, have the tag
 */
export async function withContacts(db: Database, workspaceId: string, body: BulkBody, unitsMax?: number): Promise<BulkBody> {
  const { tag, recipients } = body;
  const ids = tag === undefined ? contactIdsIn(recipients) : [];
  if (tag === undefined && ids.length === 0) return body;
  const contacts = tag === undefined ? await bulkContactsById(db, workspaceId, ids) : await contactsOf(db, workspaceId, tag, body);
  const known = { ...body, contacts, recipients: tag === undefined ? recipients : [...contacts.keys()].map((id) => ({ contact_id: id })) };
  return { ...known, plan: await planBulk(known, { unitsMax }) };
}

/** Adds a fault to each recipient in a country that is not in `allowed`; null allows all countries. */
export async function withinCountries(body: BulkBody, allowed: readonly string[] | null): Promise<BulkBody> {
  if (allowed === null || !hasPhoneNumbers(body.channel)) return body;
  return { ...body, plan: await planWithin(body, body.plan, allowed) };
}

/**
 * The scope that a body needs if it names contacts by tag or id. Texts and responses contain fields of the contacts, so the caller must be allowed
 * to read them.
 */
export function scopeForContacts({ tag, recipients }: Record<string, unknown>): Scope | null {
  return (tag ?? '') !== '' || (Array.isArray(recipients) && recipients.some(namesContact)) ? 'manage_contacts' : null;
}

const namesContact = (recipient: unknown) => namedContact(recipient) !== undefined;

function contactIdsIn(recipients: readonly unknown[]): string[] {
  return recipients.flatMap((given) => {
    const id = namedContact(given);
    return typeof id === 'string' ? [id] : [];
  });
}

async function contactsOf(
  db: Database,
  workspaceId: string,
  tag: string,
  { channel }: Pick<BulkBody, 'channel'>,
): Promise<Map<string, BulkContact>> {
  const contacts = await bulkContactsByTag(db, workspaceId, { tag, channel, limit: recipientsMax + 1 });
  if (contacts.size === 0) throw invalidField('tag', 'No contact with this tag can be reached on this channel');
  if (contacts.size > recipientsMax) {
    throw invalidField('tag', `More than ${recipientsMax.toLocaleString('en-US')} contacts with this tag can be reached on this channel`);
  }
  return contacts;
}
