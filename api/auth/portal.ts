/** The portal of a webhook: a link that shows and repairs the deliveries of this one webhook, for an hour. */
import type { Request } from 'express';
import { notFound, suspended } from '../../models/errors.js';
import type { Caller } from '../http/caller.js';

/**
 * Keeps the caller of a portal to its webhook. Others pass.
 * @param id that in the path of the request
 * @throws AppError 404 as for an unknown webhook; 403 while the workspace is suspended, because the person with the link is not the owner
 */
export function assertPortalWebhook(caller: Caller | null, { id }: Request['params']): void {
  if (caller?.portalWebhookId === undefined) return;
  if (caller.isSuspended) throw suspended();
  if (id !== caller.portalWebhookId) throw notFound('Webhook');
}
