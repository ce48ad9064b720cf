/** The export of all data of a workspace, as NDJSON. */
import Joi from 'joi';
import { Op } from 'sequelize';
import { makeId } from '../../../models/rules/values/make-id.js';
import { ApiKey } from '../../../models/tables/api-key.js';
import { Batch } from '../../../models/tables/batch.js';
import { Contact } from '../../../models/tables/contact.js';
import { CreditEntry } from '../../../models/tables/credit-entry.js';
import { inTransaction } from '../../../models/db/database.js';
import { busy, conflict } from '../../../models/errors.js';
import { Message, type MessageRow } from '../../../models/tables/message.js';
import { recordAuditEvent } from '../../../models/operations/audit/record-audit-event.js';
import { rowsOfWorkspace } from '../../../models/operations/workspaces/export-rows.js';
import { Suppression } from '../../../models/tables/suppression.js';
import { Webhook } from '../../../models/tables/webhook.js';
import { Workspace } from '../../../models/tables/workspace.js';
import type { Deps } from '../../deps.js';
import { endpoint } from '../../http/endpoint.js';
import { named } from '../../http/json-schema.js';

import { Reply } from '../../http/reply.js';
import {
  presentApiKey,
  presentBatchRow,
  presentContact,
  presentOwnWorkspace,
  presentSuppression,
  presentTransaction,
} from '../../present/presenters.js';
import { presentMessage } from '../messages/message-view.js';
import { presentWebhook } from '../../present/webhook-presenters.js';

/** The types of lines, in the order of the export. */
const lineTypes = ['workspace', 'api_key', 'webhook', 'contact', 'suppression', 'batch', 'message', 'transaction', 'end'] as const;

interface Line {
  type: (typeof lineTypes)[number];
  data: object;
}

/** The workspaces whose export is running in this process. Each export keeps a page of rows in memory, so their number is limited. */
const underWay = new Set<string>();
const underWayMax = 8;

export const exportWorkspace = endpoint({
  id: 'exportWorkspace',
  tag: 'workspace',
  method: 'get',
  path: '/api/v1/export',
  summary: 'Export all data of the workspace, one JSON object per line',
  auth: 'jwt',
  refusals: [409, 503],
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
  async handler({ caller: { workspaceId }, origin }, { db, readTurns }) {
    if (underWay.has(workspaceId)) throw conflict('An export of this workspace is running already');
    if (underWay.size >= underWayMax) throw busy();
    const workspace = await Workspace.findByPk(workspaceId, { rejectOnEmpty: true });
    await inTransaction(db, (transaction) => {
      const target = { type: 'workspace', id: workspaceId, name: workspace.name };
      return recordAuditEvent(db, transaction, origin, { workspaceId, type: 'workspace.exported', target });
    });
    return new Reply({}, { lines: counted(workspaceId, linesOf(workspace, readTurns)) });
  },
});

/** Adds the last line, which proves that the export is complete. */
async function* counted(workspaceId: string, lines: AsyncIterable<Line>): AsyncGenerator<Line, void, undefined> {
  underWay.add(workspaceId);
  try {
    let count = 0;
    for await (const line of lines) {
      count += 1;
      yield line;
    }
    yield { type: 'end', data: { lines: count } };
  } finally {
    underWay.delete(workspaceId);
  }
}

/** Each page takes a turn of the workspace. Between two pages, a slow client holds none. */
async function* linesOf(workspace: Workspace, turns: Deps['readTurns']): AsyncGenerator<Line, void, undefined> {
  const { id } = workspace;
  const pages = { until: makeId(), turn: <Result>(read: () => Promise<Result>) => turns(read, id) };
  const isDecided = { status: { [Op.ne]: 'accepting' } };
  yield { type: 'workspace', data: presentOwnWorkspace(workspace) };
  for await (const row of rowsOfWorkspace(ApiKey, id, pages)) yield { type: 'api_key', data: presentApiKey(row) };
  for await (const row of rowsOfWorkspace(Webhook, id, { ...pages, where: { deleted_at: null } })) {
    yield { type: 'webhook', data: presentWebhook(row) };
  }
  for await (const row of rowsOfWorkspace(Contact, id, pages)) yield { type: 'contact', data: presentContact(row) };
  for await (const row of rowsOfWorkspace(Suppression, id, pages)) yield { type: 'suppression', data: presentSuppression(row) };
  for await (const row of rowsOfWorkspace(Batch, id, { ...pages, where: isDecided })) yield { type: 'batch', data: presentBatchRow(row) };
  for await (const row of rowsOfWorkspace(Message, id, { ...pages, where: isDecided })) {
    yield { type: 'message', data: presentMessage(row.get() as MessageRow) };
  }
  for await (const row of rowsOfWorkspace(CreditEntry, id, pages)) yield { type: 'transaction', data: presentTransaction(row) };
}
