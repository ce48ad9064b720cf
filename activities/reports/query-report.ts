import type { AwaitedReport } from '../../models/operations/reports/awaiting-reports.js';
import type { IncomingReport } from '../../models/rules/callbacks/callback.js';
import { providerDeadlineMs } from '../../models/rules/routing/provider-deadline.js';
import { hasStorableTexts } from '../../models/rules/values/text.js';
import { hasUsualYear } from '../../models/rules/values/timestamp.js';
import type { Providers } from '../handoff/providers/provider.js';

/**
 * Queries the providers for the reports of some messages at once. A query that fails, as for an answer that its adapter cannot read, does not
 * prevent the others.
 * @returns also the number of queries that were answered, and why the others failed
 */
export async function queryReports(
  providers: Providers,
  messages: readonly AwaitedReport[],
): Promise<{ reports: IncomingReport[]; answered: number; faults: unknown[] }> {
  const answers = await Promise.allSettled(messages.map((message) => queryReport(providers, message)));
  const reports = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const faults = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  return { reports: reports.flat(), answered: reports.length, faults };
}

/**
 * Queries the provider for the report of a message. Empty if it has no such query or no report that can be stored, or if its account was removed
 * from the settings. A time that cannot be stored becomes the present one.
 */
async function queryReport({ accounts }: Providers, { id, provider, provider_message_id }: AwaitedReport): Promise<IncomingReport[]> {
  const fetched = await accounts.get(provider)?.fetchStatus?.(provider_message_id, AbortSignal.timeout(providerDeadlineMs));
  if (!fetched || !hasStorableTexts(fetched)) return [];
  const occurred_at = hasUsualYear(fetched.occurred_at) ? fetched.occurred_at : new Date();
  return [{ ...fetched, occurred_at, provider, provider_message_id, message_id: id }];
}
