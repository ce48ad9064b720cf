/** Bulk sends: the recipients to which messages are sent, the cost, and all faults (docs/contract/batches.md). */
import { capFaults, type Fault, faultsListedMax, invalidField } from '../../errors.js';
import { type BulkMessage, readRecipient } from './bulk-recipient.js';
import { type BulkRequest, compileBulk } from './bulk-templates.js';
import { inSlices } from '../values/in-slices.js';
import { faultOfCountry } from '../messages/phone-country.js';
import { spellingsOf } from '../messages/recipient.js';

/** The maximum number of recipients of one bulk send. */
export const recipientsMax = 10_000;
/** The number of messages of one page, the group that one workflow drives. */
const pageSize = 250;
/** UTF-16 units of text after which a page ends. A page is stored and handed off as a whole, so this limits the memory for it. */
const pageUnitsMax = 4_000_000;
/** How many faults of a batch are stored. */
const errorsMax = 10_000;
/**
 * The bytes of these faults as JSON. Ten thousand missing variables have 1.5 MB. The client chooses the names of fields, so that without this limit
 * the faults could have twice the bytes of the request, and they are read and shown as a whole.
 */
const errorBytesMax = 2_000_000;

/** A recipient that was left out because of `on_invalid: "skip"`. */
export interface RecipientError {
  index: number;
  field: string;
  message: string;
}

/** The plan of a bulk send. The texts are rendered again page by page, because all of them together could be a gigabyte. */
export interface BulkPlan {
  total: number;
  /** The indexes of the recipients to which messages are sent. */
  accepted: number[];
  /** The number of recipients with faults. */
  invalid: number;
  /** Their first faults: ten thousand, or two megabytes. */
  errors: RecipientError[];
  /** The bytes of `errors` as JSON; more than two megabytes once a fault was left out for that. */
  errorBytes: number;
  /** The total number of faults. */
  errorCount: number;
  /** The cost of all messages, in thousandths of a credit. */
  cost: number;
  /** The faults of the request as a whole. */
  faults: Fault[];
}

interface PlanLimits {
  /** The maximum number of recipients; tests raise it. */
  max?: number;
  /** The maximum UTF-16 units of all texts together, if they are to be shown. */
  unitsMax?: number | undefined;
}

/**
 * Checks every recipient, and yields to other work in between.
 * @throws AppError validation_failed if the texts have more than `unitsMax` units, as soon as that is known
 */
export async function planBulk(
  request: BulkRequest,
  { max = recipientsMax, unitsMax = Number.POSITIVE_INFINITY }: PlanLimits = {},
): Promise<BulkPlan> {
  const { templates, faults } = compileBulk(request);
  const { length: total } = request.recipients;
  const plan: BulkPlan = { total, accepted: [], invalid: 0, errors: [], errorBytes: 0, errorCount: 0, cost: 0, faults };
  if (request.tag !== undefined && request.contacts === undefined) return plan; // the contacts with the tag are not known yet
  if (total === 0 || total > max) {
    faults.push({ field: 'recipients', message: `recipients must have 1 to ${max.toLocaleString('en-US')} items` });
    return plan;
  }
  const seen = new Set<string>();
  let units = 0;
  for await (const [index, given] of inSlices(request.recipients.entries())) {
    const { message, faults: wrong } = readRecipient(templates, given, index);
    units += message.content.text.length;
    if (units > unitsMax) throw tooMuchText();
    if (wrong.length > 0) noteErrors(plan, index, wrong);
    else if (request.channel === null || isNew(seen, spellingsOf(request.channel, message.to)) || request.allow_duplicates === true) {
      plan.accepted.push(index);
      plan.cost += message.cost;
    }
  }
  return plan;
}

/** The plan without the recipients whose phone numbers belong to other countries. */
export async function planWithin(request: BulkRequest, plan: BulkPlan, allowed: readonly string[]): Promise<BulkPlan> {
  const { templates } = compileBulk(request);
  const narrowed: BulkPlan = { ...plan, accepted: [], errors: [...plan.errors] };
  for await (const index of inSlices(plan.accepted)) {
    const { message, field } = readRecipient(templates, request.recipients[index], index);
    const wrong = faultOfCountry(allowed, message.to);
    if (wrong === null) narrowed.accepted.push(index);
    else {
      narrowed.cost -= message.cost;
      noteErrors(narrowed, index, [{ field, message: wrong }]);
    }
  }
  narrowed.errors.sort((one, other) => one.index - other.index);
  return narrowed;
}

/** A validation_failed error: the preview of a bulk send must fit into one answer. */
export const tooMuchText = () => invalidField('recipients', 'recipients have too much text for one preview: preview fewer at once');

function noteErrors(plan: BulkPlan, index: number, faults: Fault[]): void {
  plan.invalid += 1;
  plan.errorCount += faults.length;
  for (const fault of faults) {
    if (plan.errors.length >= errorsMax || plan.errorBytes >= errorBytesMax) return;
    const error = { index, ...fault };
    plan.errorBytes += Buffer.byteLength(JSON.stringify(error)) + 1; // with its comma
    if (plan.errorBytes <= errorBytesMax) plan.errors.push(error);
  }
}

/** @param spellings of a recipient. One is seen if any of them was */
function isNew(seen: Set<string>, spellings: readonly string[]): boolean {
  if (spellings.some((spelling) => seen.has(spelling))) return false;
  for (const spelling of spellings) seen.add(spelling);
  return true;
}

/** Why the request is refused; empty if it is accepted. Recipients with faults are a reason, unless they are to be skipped and others are left. */
export function faultsOfPlan({ on_invalid }: Pick<BulkRequest, 'on_invalid'>, plan: BulkPlan): Fault[] {
  const isSkipped = on_invalid === 'skip' && (plan.accepted.length > 0 || plan.faults.length > 0);
  if (isSkipped || plan.errorCount === 0) return plan.faults;
  const all = [...plan.faults, ...plan.errors.slice(0, faultsListedMax).map(({ field, message }) => ({ field, message }))];
  return capFaults(all, plan.faults.length + plan.errorCount, 'recipients');
}

/** The messages of a plan without faults, in the order of the recipients, one page at a time. */
export async function* pagesOfBulk(request: BulkRequest, { accepted }: BulkPlan): AsyncGenerator<BulkMessage[], void, undefined> {
  const { templates } = compileBulk(request);
  let page: BulkMessage[] = [];
  let units = 0;
  for await (const index of inSlices(accepted)) {
    const { message } = readRecipient(templates, request.recipients[index], index);
    page.push(message);
    units += unitsOf(message);
    if (page.length < pageSize && units < pageUnitsMax) continue;
    yield page;
    [page, units] = [[], 0];
  }
  if (page.length > 0) yield page;
}

const unitsOf = ({ content: { text, html, subject } }: BulkMessage) => text.length + (html?.length ?? 0) + (subject?.length ?? 0);
