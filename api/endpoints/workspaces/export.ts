/** The export of a workspace's data, as NDJSON. */
import Joi from 'joi';
import { Op } from 'sequelize';
import { exportRunning } from '../../../models/conflicts.js';
import { idAfter } from '../../../models/rules/values/id-time.js';
import { ApiKey } from '../../../models/tables/api-key.js';
import { Contact } from '../../../models/tables/contact.js';
import { Delivery } from '../../../models/tables/delivery.js';
import { CreditEntry } from '../../../models/tables/credit-entry.js';
import type { Database } from '../../../models/db/database.js';
import { Message, type MessageRow } from '../../../models/tables/message.js';
import { asCaller, assertLive } from '../../../models/operations/accounts/as-caller.js';
import { recordAuditEvent } from '../../../models/operations/audit/record-audit-event.js';
import type { ReadTurn } from '../../../models/flow/concurrency-limit.js';
import { auditEventsOf, batchesOf, erasuresOf, exportRows, type Pages } from '../../../models/operations/workspaces/export-rows.js';
import { Replay } from '../../../models/tables/replay.js';
import { Suppression } from '../../../models/tables/suppression.js';
import { Webhook } from '../../../models/tables/webhook.js';
import { Workspace } from '../../../models/tables/workspace.js';
import { endpoint } from '../../declare.js';
import { addressKey } from '../../http/client-address.js';
import { named } from '../../http/schemas/json-schema.js';
import { Reply } from '../../http/reply.js';
import {
  presentApiKey,
  presentAuditEvent,
  presentBatchRow,
  presentContact,
  presentOwnWorkspace,
  presentSuppression,
  presentTransaction,
} from '../../present/presenters.js';
import { presentMessage } from '../messages/message-view.js';
import { presentDelivery, presentReplay, presentWebhook } from '../../present/webhook-presenters.js';

/** The types of lines, in the order of the export. */
const lineTypes = [
  'workspace',
  'api_key',
  'webhook',
  'delivery',
  'replay',
  'contact',
  'suppression',
  'batch',
  'message',
  'transaction',
  'audit_event',
  'erasure',
  'end',
] as const;

interface Line {
  type: (typeof lineTypes)[number];
  data: object;
}

export const exportWorkspaceEndpoint = endpoint({
  id: 'exportWorkspace',
  tag: 'workspace',
  method: 'get',
  path: '/api/v1/export',
  summary: 'Export the data of the workspace, one JSON object per line',
  auth: 'jwt',
  streams: 'application/x-ndjson',
  envelope: false,
  response: named(
    'ExportLine',
    Joi.object({
      type: Joi.string()
        .valid(...lineTypes)
        .required(),
      data: Joi.object().unknown().required(),
    }),
  ),
  async handler({ caller: { workspaceId }, origin }, { db, readTurns, exportPlaces }) {
    if (exportPlaces.has(workspaceId)) throw exportRunning();
    const place = exportPlaces.take(workspaceId, addressKey(origin.address ?? undefined)); // in the same step as the check
    try {
      const workspace = await Workspace.findByPk(workspaceId, { rejectOnEmpty: true });
      await asCaller(db, workspaceId, origin, (transaction) => {
        const target = { type: 'workspace', id: workspaceId, name: workspace.name } as const;
        return recordAuditEvent(db, transaction, origin, { workspaceId, type: 'workspace.exported', target });
      });
      const turn: ReadTurn = (read) =>
        readTurns(async () => {
          await assertLive(db, workspaceId, origin); // a slow client may read for hours, and its session may end meanwhile
          return read();
        }, workspaceId);
      return new Reply({ lines: { of: counted(linesOf(db, workspace, turn)), place } });
    } catch (error) {
      place.leave();
      throw error;
    }
  },
});

/** Adds the last line, which proves that the export is complete. */
async function* counted(lines: AsyncIterable<Line>): AsyncGenerator<Line, void, undefined> {
  let count = 0;
  for await (const line of lines) {
    count += 1;
    yield line;
  }
  yield { type: 'end', data: { lines: count } };
}

/** Each page takes a turn of the workspace. Between two pages, a slow client holds none. */
async function* linesOf(db: Database, workspace: Workspace, turn: ReadTurn): AsyncGenerator<Line, void, undefined> {
  const pages = { until: idAfter(new Date()), turn };
  const own = { workspace_id: workspace.id };
  const decided = { ...own, status: { [Op.ne]: 'accepting' } };
  yield { type: 'workspace', data: presentOwnWorkspace(workspace) };
  for await (const row of exportRows(ApiKey, own, pages)) yield { type: 'api_key', data: presentApiKey(row) };
  yield* webhookLines(workspace.id, pages);
  for await (const row of exportRows(Contact, own, pages)) yield { type: 'contact', data: presentContact(row) };
  for await (const row of exportRows(Suppression, own, pages)) yield { type: 'suppression', data: presentSuppression(row) };
  for await (const row of batchesOf(workspace.id, pages)) yield { type: 'batch', data: presentBatchRow(row) };
  for await (const row of exportRows(Message, decided, pages)) yield { type: 'message', data: presentMessage(row.get() as MessageRow) };
  for await (const row of exportRows(CreditEntry, own, pages)) yield { type: 'transaction', data: presentTransaction(row) };
  for await (const row of auditEventsOf(db, workspace.id, turn)) yield { type: 'audit_event', data: presentAuditEvent(row) };
  for await (const row of erasuresOf(db, workspace.id, pages)) yield { type: 'erasure', data: row };
}

/** Each webhook, then its deliveries with their attempts, then its replays. */
async function* webhookLines(workspaceId: string, pages: Pages): AsyncGenerator<Line, void, undefined> {
  for await (const webhook of exportRows(Webhook, { workspace_id: workspaceId, deleted_at: null }, pages)) {
    yield { type: 'webhook', data: presentWebhook(webhook) };
    const its = { webhook_id: webhook.id };
    for await (const row of exportRows(Delivery, its, { ...pages, include: ['attempts'] })) {
      yield { type: 'delivery', data: presentDelivery(row, webhook) };
    }
    for await (const row of exportRows(Replay, its, pages)) yield { type: 'replay', data: presentReplay(row) };
  }
}
