import type { AwaitedReport } from '../../models/operations/reports/awaiting-reports.js';
import type { IncomingReport } from '../../models/rules/callbacks/callback.js';
import { providerDeadlineMs } from '../../models/rules/routing/provider-deadline.js';
import type { Providers } from './providers/provider.js';

/** Queries the provider for the report of a message. Empty if it has none, or if its account was removed from the settings. */
export async function queryReport(
  { accounts }: Providers,
  { id, provider, provider_message_id }: AwaitedReport,
): Promise<IncomingReport[]> {
  const fetched = await accounts.get(provider)?.fetchStatus(provider_message_id, AbortSignal.timeout(providerDeadlineMs));
  return fetched ? [{ ...fetched, provider, provider_message_id, message_id: id }] : [];
}
