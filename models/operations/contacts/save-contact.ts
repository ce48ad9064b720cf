import { DatabaseError, Op, UniqueConstraintError, type WhereOptions, col, fn, where } from 'sequelize';
import { makeId } from '../../rules/values/make-id.js';
import { Contact } from '../../tables/contact.js';
import { contactExists, notFound, unreachableContact } from '../../errors.js';
import { definedFields } from '../../rules/values/defined-fields.js';

/** The fields that the owner of a contact can set. */
export type ContactFields = Pick<Contact, 'name' | 'phone' | 'email' | 'tags' | 'custom_fields'>;

/**
 * Stores a new contact.
 * @throws AppError validation_failed if it has neither phone nor e-mail address, or if another contact of the workspace has one of them
 */
export async function createContact(workspaceId: string, fields: ContactFields): Promise<Contact> {
  const now = new Date();
  const id = makeId();
  return explained(workspaceId, id, fields, () =>
    Contact.create({ id, workspace_id: workspaceId, ...fields, created_at: now, updated_at: now }),
  );
}

/**
 * Changes a contact. Undefined fields are unchanged.
 * @throws AppError not_found if the workspace has no such contact, validation_failed as in `createContact`
 */
export async function updateContact(workspaceId: string, id: string, change: Partial<ContactFields>): Promise<Contact> {
  const contact = await Contact.owned(workspaceId, id);
  const given = definedFields(change);
  return explained(workspaceId, id, { ...contact.get(), ...given }, async () => {
    const [, [updated]] = await Contact.update(
      { ...given, updated_at: new Date() },
      { where: { id, workspace_id: workspaceId }, returning: true },
    );
    if (updated === undefined) throw notFound('Contact'); // deleted meanwhile
    return updated;
  });
}

/**
 * Deletes a contact.
 * @throws AppError not_found if the workspace has no such contact, also at the second call
 */
export async function deleteContact(workspaceId: string, id: string): Promise<void> {
  const contact = await Contact.owned(workspaceId, id);
  if ((await Contact.destroy({ where: { id: contact.id, workspace_id: workspaceId } })) === 0) throw notFound('Contact'); // deleted meanwhile
}

/** The database decides, also between concurrent calls. This converts its refusals to ours. */
async function explained(
  workspaceId: string,
  id: string,
  { phone, email }: Pick<ContactFields, 'phone' | 'email'>,
  write: () => Promise<Contact>,
): Promise<Contact> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof UniqueConstraintError) throw contactExists(await takenFields(workspaceId, id, { phone, email }, error));
    if (error instanceof DatabaseError && (error.parent as { constraint?: string }).constraint === 'contacts_reachable')
      throw unreachableContact();
    throw error;
  }
}

/** The index names one field only, but both may be taken. */
async function takenFields(
  workspaceId: string,
  id: string,
  { phone, email }: { phone: string | null; email: string | null },
  error: UniqueConstraintError,
): Promise<('phone' | 'email')[]> {
  const others = { workspace_id: workspaceId, id: { [Op.ne]: id } };
  const isTaken = async (condition: WhereOptions) =>
    (await Contact.count({ where: { [Op.and]: [others, condition] } as WhereOptions })) > 0;
  const byPhone = phone !== null && (await isTaken({ phone }));
  const byEmail = email !== null && (await isTaken(where(fn('lower', col('email')), email.toLowerCase())));
  if (byPhone || byEmail) return [...(byPhone ? (['phone'] as const) : []), ...(byEmail ? (['email'] as const) : [])];
  // The contact that had it no longer has it.
  return [(error.parent as { constraint?: string }).constraint === 'contacts_phone' ? 'phone' : 'email'];
}
