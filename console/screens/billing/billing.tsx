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
          ['Debt', debtText(workspace?.debt ?? 0)],
          ['Daily spending limit', limit === null ? 'none' : creditsText(limit)],
        ]}
      />
      <Packages />
      <Ledger />
    </Screen>
  );
}

/** Credits that a refund or a dispute took back after they were spent. Nothing is shown without a debt. */
const debtText = (debt: number): string => (debt === 0 ? '' : `${creditsText(debt)}, which the next credits pay first`);
