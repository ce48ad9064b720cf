/** Bulk requests for tests. */
import { faultsOfPlan, pagesOfBulk, planBulk } from '../../models/rules/bulk/bulk.js';
import type { BulkMessage } from '../../models/rules/bulk/bulk-recipient.js';
import type { BulkRequest } from '../../models/rules/bulk/bulk-templates.js';

export const phone = (index: number) => `+1555${String(1_000_000 + index)}`;
/** This many different phone numbers. */
export const phones = (count: number): string[] => Array.from({ length: count }, (_, index) => phone(index));

const greeting = { channel: 'sms', content: { text: 'Hi {{name}}' } } as const;
export const names = ['Ann', 'Bob', 'Eve'];
export const people = names.map((name, index) => ({ to: phone(index), variables: { name } }));
/** A valid bulk request. */
export const toPeople = { ...greeting, recipients: people };
/** The same with variables beside the numbers of the recipients. */
export const toNamed = { ...greeting, recipients: phones(3).map((to, index) => ({ to, name: `N${index}` })) };

/** A bulk request for one recipient, with these changes. */
export const bulk = (changes: Partial<BulkRequest> = {}): BulkRequest => ({
  ...greeting,
  recipients: people.slice(0, 1),
  ...changes,
});

export async function messagesOf(request: BulkRequest): Promise<BulkMessage[]> {
  const messages: BulkMessage[] = [];
  for await (const page of pagesOfBulk(request, await planBulk(request))) messages.push(...page);
  return messages;
}
export const faultsOf = async (request: BulkRequest) => faultsOfPlan(request, await planBulk(request));
export const textsOf = async (request: BulkRequest) => (await messagesOf(request)).map(({ content }) => content.text);
