import type { Deps } from '../deps.js';

/**
 * Starts the workflow that sends a mail, without waiting for it. The mail is in the outbox, so the watcher sends it if this fails.
 * @param mailId null if there is no mail to send
 */
export function startMail({ temporal, logger }: Pick<Deps, 'temporal' | 'logger'>, mailId: string | null): void {
  if (mailId === null) return;
  void temporal
    .sendMail(mailId)
    .catch((err: unknown) => logger.warn({ err, mail_id: mailId }, 'the mail workflow was not started; the watcher will do it'));
}
