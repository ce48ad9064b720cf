import type { AwaitedReport } from '../../models/operations/reports/awaiting-reports.js';
import type { IncomingReport } from '../../models/rules/callbacks/callback.js';
import { providerDeadlineMs } from '../../models/rules/routing/provider-deadline.js';
import { hasStorableTexts } from '../../models/rules/values/text.js';
import { hasUsualYear } from '../../models/rules/values/timestamp.js';
import type { Providers } from '../handoff/providers/provider.js';

/**
 * Queries the provider for the report of a message. Empty if it has no such query or no report that can be stored, or if its account was removed
 * from the settings. A time that cannot be stored becomes the present one.
 */
export async function queryReport(
  { accounts }: Providers,
  { id, provider, provider_message_id }: AwaitedReport,
): Promise<IncomingReport[]> {
  const fetched = await accounts.get(provider)?.fetchStatus?.(provider_message_id, AbortSignal.timeout(providerDeadlineMs));
  if (!fetched || !hasStorableTexts(fetched)) return [];
  const occurred_at = hasUsualYear(fetched.occurred_at) ? fetched.occurred_at : new Date();
  return [{ ...fetched, occurred_at, provider, provider_message_id, message_id: id }];
}
