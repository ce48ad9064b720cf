/** Renews the rows of open streams, and checks their credentials again. */
import type { Database } from '../../models/db/database.js';
import { liveCredentials } from '../../models/operations/accounts/live-credentials.js';
import { renewMs, renewStreams } from '../../models/operations/streams/open-stream.js';
import type { Viewer } from './viewer.js';

/** Maximum time until the stream of a revoked key ends. */
const checkMs = 1_000;

/**
 * Returns a function to call before every round. It queries only when something is due, with one statement for all viewers.
 * @param idleHours a session of the console ends after this time without a request
 * @param tellMissed is called for a viewer whose events may be missing, before it gets further events
 */
export function createUpkeep(
  db: Database,
  viewers: ReadonlySet<Viewer>,
  idleHours: number,
  tellMissed: (viewer: Viewer) => void,
): () => Promise<void> {
  let renewedAt = performance.now();
  let checkedAt = performance.now();
  return async () => {
    const now = performance.now();
    if (now - checkedAt >= checkMs) {
      await endRevoked(db, [...viewers], idleHours);
      checkedAt = now;
    }
    if (now - renewedAt >= renewMs) {
      for (const { stream, since } of await renewStreams(db, [...viewers])) {
        stream.since = since;
        tellMissed(stream);
      }
      renewedAt = now;
    }
  };
}

/** Ends streams whose credential was revoked or has expired, or whose workspace was closed or suspended. */
async function endRevoked(db: Database, viewers: readonly Viewer[], idleHours: number): Promise<void> {
  const credentials = viewers.map(({ options }) => ({ ...options, ref: options.id }));
  const live = await liveCredentials(db, credentials, { scope: 'read_messages', idleHours });
  for (const viewer of viewers) {
    const { id, token } = viewer.options;
    if (!live.has(id) || (token !== null && token.expiresAt.getTime() <= Date.now())) viewer.end();
  }
}
