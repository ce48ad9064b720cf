/** The dependencies of the rounds of a hand-off. */
import type { Database } from '../../models/db/database.js';
import type { UncertainWaits } from '../../models/operations/handoff/uncertain-handoffs.js';
import type { PersistDeps } from '../support/persist.js';
import type { Providers } from './providers/provider.js';
import type { AccountHealthMonitor } from './account-health.js';
import type { Throughput } from './throughput.js';

export interface RoundDeps extends PersistDeps {
  db: Database;
  providers: Providers;
  throughput: Throughput;
  health: AccountHealthMonitor;
  waits: UncertainWaits;
  /** SECRET_KEY and the previous keys. */
  secretKeys: readonly [string, ...string[]];
}
