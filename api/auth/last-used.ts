/** When API keys and sessions were used last. */
import type { Logger } from '../../models/process/logger.js';
import { ApiKey } from '../../models/tables/api-key.js';
import { OpenSession } from '../../models/tables/open-session.js';

/** Notes that a key or a session is used. */
export type Touch = (used: { id: string; last_used_at: Date | null }, address?: string) => void;

/** What notes the use of keys, with the address of the client, and of sessions. */
export function createTouches(logger: Logger): { key: Touch; session: Touch } {
  const onError = (err: unknown) => logger.warn({ err }, 'last_used_at was not written');
  return {
    key: lastUsed((id, now, address) => ApiKey.update({ last_used_at: now, last_used_address: address }, { where: { id } }), onError),
    session: lastUsed((id, now) => OpenSession.update({ last_used_at: now }, { where: { id } }), onError),
  };
}

/** Writes last_used_at of a key or a session in the background, at most once a minute. */
function lastUsed(write: (id: string, now: Date, address: string | null) => Promise<unknown>, onError: (err: unknown) => void): Touch {
  const inProgress = new Set<string>();
  return ({ id, last_used_at }, address) => {
    const now = new Date();
    if ((last_used_at !== null && now.getTime() - last_used_at.getTime() < 60_000) || inProgress.has(id)) return;
    inProgress.add(id);
    void write(id, now, address ?? null)
      .catch(onError)
      .finally(() => inProgress.delete(id));
  };
}
