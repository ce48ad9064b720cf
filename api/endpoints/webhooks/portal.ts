/** Links to the portal of a webhook, for the people who look after its receiver. */
import { suspended } from '../../../models/errors.js';
import { openPortal } from '../../../models/operations/webhooks/open-portal.js';
import { issuePortalToken } from '../../auth/tokens.js';
import { endpoint } from '../../declare.js';
import { apiKeyOrJwt } from '../../http/endpoint.js';
import { dataOf } from '../../http/schemas/schemas.js';
import { portalResponse } from './webhook-schemas.js';

export const createWebhookPortalEndpoint = endpoint({
  id: 'createWebhookPortal',
  tag: 'webhooks',
  method: 'post',
  path: '/api/v1/webhooks/:id/portal',
  summary: 'Create a link, valid for one hour, to a page where the owner of the receiver sees this webhook and resends its deliveries',
  auth: apiKeyOrJwt('manage_webhooks'),
  response: dataOf('portal', portalResponse),
  status: 201,
  async handler({ caller: { workspaceId, isSuspended, credential }, params: { id }, origin }, { db, config }) {
    if (isSuspended) throw suspended();
    const token_version = await openPortal(db, workspaceId, id, origin);
    const { token, expiresAt } = issuePortalToken(config.jwtSecret, { id: workspaceId, token_version }, id, credential.keyId);
    // Browsers do not send the fragment, so no proxy logs the token.
    return { portal: { url: `${config.publicUrl}/console/portal/webhooks/${id}#token=${token}`, expires_at: expiresAt.toISOString() } };
  },
});
