/** Bulk requests, and what becomes of them. */
import { faultsOfPlan, pagesOfBulk, planBulk } from '../../models/rules/bulk.js';
import type { BulkMessage } from '../../models/rules/bulk-recipient.js';
import type { BulkRequest } from '../../models/rules/bulk-templates.js';

export const phone = (index: number) => `+1555${String(1_000_000 + index)}`;
/** A text for one recipient, but for these changes. */
export const bulk = (changes: Partial<BulkRequest> = {}): BulkRequest => ({
  channel: 'sms',
  content: { text: 'Hi {{name}}' },
  recipients: [{ to: phone(0), variables: { name: 'Ann' } }],
  ...changes,
});

export async function messagesOf(request: BulkRequest): Promise<BulkMessage[]> {
  const messages: BulkMessage[] = [];
  for await (const page of pagesOfBulk(request, await planBulk(request))) messages.push(...page);
  return messages;
}
export const faultsOf = async (request: BulkRequest) => faultsOfPlan(request, await planBulk(request));
export const textsOf = async (request: BulkRequest) => (await messagesOf(request)).map(({ content }) => content.text);
