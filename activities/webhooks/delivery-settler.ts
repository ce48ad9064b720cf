/** Applies a change of a webhook to its deliveries, in the background and slowly enough to delay no other work. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, inTurn } from '../../models/db/database.js';
import { settleDeliveries, type SettlingPlace } from '../../models/operations/deliveries/settle-deliveries.js';

/**
 * Bounds of the pause. A page whose rows are all locked takes no time. One that takes seconds mostly waited, for a connection or a lock, and the
 * attempts of the retrier wait for its pause.
 */
const restMs = { min: 5, max: 1_000 };

export class DeliverySettler {
  #place: SettlingPlace | null = null;

  /** @param withWorkspaceLimit runs a page when it is the turn of the workspace */
  constructor(
    private readonly db: Database,
    private readonly webhookId: string,
    private readonly withWorkspaceLimit: <Result>(page: () => Promise<Result>) => Promise<Result>,
  ) {}

  /**
   * Settles a page, then pauses for as long as that took, to leave half of the database's time to other work. A page has up to ten short
   * statements. They run in one turn, because beside urgent work each turn is waited for up to three seconds.
   * @returns null when none was left
   */
  async onePage(): Promise<SettlingPlace | null> {
    let tookMs = 0;
    const settlePage = async () => {
      const startedAt = performance.now();
      const place = await settleDeliveries(this.db, this.webhookId, this.#place);
      tookMs = performance.now() - startedAt;
      return place;
    };
    this.#place = await this.withWorkspaceLimit(() => inTurn(this.db, settlePage));
    if (this.#place !== null) await sleep(Math.min(Math.max(restMs.min, tookMs), restMs.max));
    return this.#place;
  }
}
