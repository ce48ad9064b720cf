/** The dependencies of the rounds of a hand-off. */
import type { Database } from '../../models/db/database.js';
import { erasureKey } from '../../models/operations/erasure/erasure-key.js';
import type { SendingRules } from '../../models/operations/handoff/refuse-queued.js';
import type { UncertainWaits } from '../../models/operations/handoff/uncertain-handoffs.js';
import type { PersistDeps } from '../support/persist.js';
import type { Providers } from './providers/provider.js';
import type { AccountHealthMonitor } from './account-health.js';
import type { ConnectionsOfThread } from './account-connections.js';
import type { SlotSharesOfThread } from './slot-shares.js';
import type { Throughput } from './throughput.js';

export interface RoundDeps extends PersistDeps {
  db: Database;
  providers: Providers;
  throughput: Throughput;
  slots: SlotSharesOfThread;
  connections: ConnectionsOfThread;
  health: AccountHealthMonitor;
  waits: UncertainWaits;
  /** SECRET_KEY and the previous keys. */
  secretKeys: readonly [string, ...string[]];
  /** See `SendingRules`. */
  verifiedOnly: boolean;
}

/** What decides whether messages must not be handed off. */
export const sendingRules = async ({
  db,
  secretKeys,
  verifiedOnly,
}: Pick<RoundDeps, 'db' | 'secretKeys' | 'verifiedOnly'>): Promise<SendingRules> => ({
  erasureKey: await erasureKey(db, secretKeys),
  verifiedOnly,
});
