/** The balance, the packages for sale, and the ledger. */
import { useEffect } from 'preact/hooks';
import { creditsText } from '../../parts/credits.js';
import { Facts } from '../../parts/facts.js';
import { Screen } from '../../parts/screen.js';
import { openWorkspace, refreshSoon } from '../../state/session.js';
import { Ledger } from './ledger.js';
import { Packages } from './packages.js';

export function Billing() {
  // After a checkout the balance is out of date.
  useEffect(refreshSoon, []);
  const workspace = openWorkspace();
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
      <Ledger />
    </Screen>
  );
}
