/** All lists, taken from the declarations, with a way to add a row to each. */
import { v7 as uuidv7 } from 'uuid';
import { endpoints } from '../../../api/endpoints/index.js';
import type { Endpoint } from '../../../api/http/endpoint.js';
import type { Database } from '../../../models/db/database.js';
import { credit } from '../../../models/operations/billing/post-credits.js';
import { createContact } from '../../../models/operations/contacts/save-contact.js';
import { addSuppression } from '../../../models/operations/contacts/suppress.js';
import { systemOrigin } from '../../../models/rules/audit/origin.js';
import { scopes } from '../../../models/rules/accounts/api-key.js';
import { ApiKey } from '../../../models/tables/api-key.js';
import { testConfig } from '../../support/config.js';
import { buildAcceptedBatch } from '../../support/rows/batches.js';
import { buildQueued, buildReplay, buildSession, buildWebhook } from '../../support/rows/factories.js';

export interface Owner {
  workspaceId: string;
  /** The webhook of the lists that belong to one. */
  webhookId: string;
}

/** Every endpoint that is declared by `list`. Other responses with an array show all of it at once. */
export const lists: readonly Endpoint[] = endpoints.filter(({ response }) => 'pagination' in (response.describe().keys ?? {}));

let count = 0;
const unique = () => `+1555${String((count += 1)).padStart(7, '0')}`;

const suppressed = (db: Database, { workspaceId }: Owner) => {
  const entry = {
    workspace_id: workspaceId,
    channel: 'sms',
    recipient: unique(),
    reason: 'manual',
    source: 'api',
    expires_at: null,
  } as const;
  return addSuppression(db, entry, systemOrigin('operator'));
};

/** Adds one row to the list with this id. */
export const addRow: Readonly<Record<string, (db: Database, owner: Owner) => Promise<unknown>>> = {
  listMessages: (db, { workspaceId }) => buildQueued(db, workspaceId),
  listBatches: (db, { workspaceId }) => buildAcceptedBatch(db, workspaceId, [1]),
  listApiKeys: (_, { workspaceId }) => ApiKey.issue(testConfig().secretKey, { workspace_id: workspaceId, name: 'another', scopes }),
  listSessions: (_, { workspaceId }) => buildSession(workspaceId),
  // Adding a suppression is audited.
  listAuditEvents: suppressed,
  listContacts: (_, { workspaceId }) =>
    createContact(workspaceId, { name: null, phone: unique(), email: null, tags: [], custom_fields: {} }),
  listSuppressions: suppressed,
  listWebhooks: (_, { workspaceId }) => buildWebhook(workspaceId, 'https://8.8.8.8/', { is_active: false }),
  // The webhook of the owner gets the event `message.queued`.
  listDeliveries: (db, { workspaceId }) => buildQueued(db, workspaceId),
  listReplays: (_, { webhookId }) => buildReplay(webhookId),
  listTransactions: (db, { workspaceId }) =>
    db.transaction((transaction) =>
      credit(db, transaction, workspaceId, { kind: 'adjustment', reference: uuidv7(), amount: 1000, description: 'A correction' }),
    ),
};
