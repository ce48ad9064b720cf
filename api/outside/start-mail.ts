import type { Deps } from '../deps.js';

/** Not awaited: the mail is in the outbox, and the watcher sends what Temporal is not told of. */
export function startMail({ temporal, logger }: Pick<Deps, 'temporal' | 'logger'>, mailId: string): void {
  void temporal.sendMail(mailId).catch((err: unknown) => logger.warn({ err, mail_id: mailId }, 'mail was not started, the watcher will'));
}
