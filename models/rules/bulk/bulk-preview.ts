/** The preview of a bulk send, message by message. */
import type { Fault } from '../../errors.js';
import { type BulkPlan, tooMuchText } from './bulk.js';
import { type BulkMessage, readRecipient } from './bulk-recipient.js';
import { type BulkRequest, compileBulk } from './bulk-templates.js';
import { groupBy } from '../values/group-by.js';
import { inSlices } from '../values/in-slices.js';

/** UTF-16 units of all texts together: as many as ten thousand of the longest sms have. */
export const previewUnitsMax = 16_000_000;
/** How many faults are listed in total. After that, each recipient shows only its first. */
const faultsMax = 10_000;

export interface PreviewedMessage extends Pick<BulkMessage, 'to' | 'segments' | 'encoding' | 'cost'> {
  text: string;
  errors: Fault[];
}

/**
 * Every recipient in the given order. A recipient that is left out, because of faults or as a duplicate, costs nothing.
 * @param note receives each message that would be sent
 * @throws AppError validation_failed if the texts are too long for one answer
 */
export async function previewBulk(
  request: BulkRequest,
  plan: BulkPlan,
  note: (message: BulkMessage) => void = () => undefined,
): Promise<PreviewedMessage[]> {
  const { templates } = compileBulk(request);
  const accepted = new Set(plan.accepted);
  // Faults that only the plan can find, such as a country that is not allowed.
  const planned = groupBy(plan.errors, ({ index }) => index);
  const previewed: PreviewedMessage[] = [];
  let units = 0;
  let listed = 0;
  for await (const [index, given] of inSlices(request.recipients.entries())) {
    const { message, faults: own } = readRecipient(templates, given, index);
    const faults = own.length > 0 ? own : (planned.get(index) ?? []).map(({ field, message: text }) => ({ field, message: text }));
    const { to, content, segments, encoding, cost } = message;
    units += content.text.length;
    if (units > previewUnitsMax) throw tooMuchText();
    const errors = listed < faultsMax ? faults : faults.slice(0, 1);
    listed += errors.length;
    if (accepted.has(index)) note(message);
    previewed.push({ to, text: content.text, segments, encoding, cost: accepted.has(index) ? cost : 0, errors });
  }
  return previewed;
}
