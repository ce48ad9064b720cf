/** The balance, the packages for sale, and the ledger. */
import { useLocation } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { creditsText } from '../../parts/credits.js';
import { Facts } from '../../parts/facts.js';
import { Screen } from '../../parts/screen.js';
import { refreshWorkspace, session } from '../../state/session.js';
import { Ledger } from './ledger.js';
import { Packages } from './packages.js';

export function Billing() {
  // Who comes back from a checkout has bought since the balance was read.
  useEffect(() => void refreshWorkspace().catch(() => undefined), []);
  const { cursor } = useLocation().query;
  const workspace = session.value.state === 'open' ? session.value.workspace : null;
  const limit = workspace?.spend_limit_day ?? null;
  return (
    <Screen title="Billing">
      <Facts
        facts={[
          ['Balance', creditsText(workspace?.credits_balance ?? 0)],
          ['Daily spending limit', limit === null ? 'none' : creditsText(limit)],
        ]}
      />
      <Packages />
      <Ledger cursor={cursor} />
    </Screen>
  );
}
