/** Fields of recipients that a bulk send ignores. */
import { inSlices } from '../values/in-slices.js';
import { lookAlike } from '../values/look-alike.js';
import { fieldsOfRecipient } from './bulk-recipient.js';

/** More than are shown in an answer. */
const listedMax = 50;

/**
 * The paths of the ignored fields, such as `recipients[3].tags`; the first fifty. A field of a recipient is a variable if its value is a scalar. One
 * that looks like a known field is a fault, and null counts as absent.
 */
export async function ignoredFieldsOf(recipients: readonly unknown[]): Promise<string[]> {
  const ignored: string[] = [];
  for await (const [index, given] of inSlices(recipients.entries())) {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) continue;
    for (const [name, value] of Object.entries(given)) {
      if (typeof value !== 'object' || value === null || lookAlike(name, fieldsOfRecipient) !== undefined) continue;
      ignored.push(`recipients[${index}].${name}`);
      if (ignored.length === listedMax) return ignored;
    }
  }
  return ignored;
}
