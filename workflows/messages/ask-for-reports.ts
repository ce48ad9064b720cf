import { asking } from '../activities.js';

/**
 * Queries the providers for missing reports of a group, in as many activities as that takes. Without an answer the reports may still arrive.
 */
export async function askForReports(groupId: string): Promise<void> {
  let after: string | null = null;
  do {
    after = await asking.pollReports(groupId, { after }).catch(() => null);
  } while (typeof after === 'string'); // undefined from a worker of the former version
}
