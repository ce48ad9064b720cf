/** What the rounds of a hand-off reach. */
import type { Database } from '../../models/db/database.js';
import type { UncertainWaits } from '../../models/operations/handoff/uncertain-handoffs.js';
import type { PersistDeps } from '../support/persist.js';
import type { Providers } from './providers/provider.js';
import type { RouteHealth } from './route-health.js';
import type { Throughput } from './throughput.js';

export interface RoundDeps extends PersistDeps {
  db: Database;
  providers: Providers;
  throughput: Throughput;
  health: RouteHealth;
  waits: UncertainWaits;
  /** SECRET_KEY and those before it. */
  secretKeys: readonly [string, ...string[]];
}
