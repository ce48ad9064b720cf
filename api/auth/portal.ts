/** The portal of a webhook: a link that shows and repairs the deliveries of this one webhook, for an hour. */
import { notFound, suspended } from '../../models/errors.js';
import type { Caller } from '../http/caller.js';

/**
 * Keeps the caller of a portal to its webhook. Others pass.
 * @param id the id in the path of the request
 * @throws AppError 404 as for an unknown webhook; 403 while the workspace is suspended, because whoever has the link is not its owner
 */
export function assertOfPortal(caller: Caller | null, id: string | undefined): void {
  if (caller?.webhookId === undefined) return;
  if (caller.isSuspended) throw suspended();
  if (id !== caller.webhookId) throw notFound('Webhook');
}
