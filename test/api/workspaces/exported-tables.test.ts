import assert from 'node:assert/strict';
import { useDatabase } from '../../support/for-each.js';
import { tablesOfWorkspaces } from '../../support/rows/tables-of-workspaces.js';
import { components } from '../openapi/document.js';

/** The tables whose rows belong to a workspace, with the lines of the export that show them. */
const exportedAs: Readonly<Record<string, string>> = {
  api_keys: 'api_key',
  audit_events: 'audit_event',
  batches: 'batch',
  contacts: 'contact',
  credit_entries: 'transaction',
  erasures: 'erasure',
  messages: 'message',
  suppressions: 'suppression',
  webhooks: 'webhook',
};
/** Lines of the workspace itself, of what belongs to a webhook, and of the end. */
const otherLines = ['workspace', 'delivery', 'replay', 'end'];

const notExported: Readonly<Record<string, string[]>> = {
  'copies of what is exported': ['events', 'message_rollups', 'message_changes', 'ledger_marks', 'suppressions_by_recipients'],
  'shown by the transactions': ['credit_orders'],
  'work of the service and of its operator': ['erasure_places', 'mails', 'mcp_sends', 'open_streams', 'streamed_workspaces', 'suspensions'],
  'credentials and logins': ['login_addresses', 'mail_tokens', 'recovery_codes', 'revoked_tokens', 'sessions'],
};

describe('the tables of the export', () => {
  const test = useDatabase();

  it('every table of workspaces is exported, or named here as not exported', async () => {
    assert.deepEqual(await tablesOfWorkspaces(test.db), [...Object.keys(exportedAs), ...Object.values(notExported).flat()].toSorted());
  });

  it('every exported table has its type of line, and every type of line is known', () => {
    const types = components.schemas.ExportLine?.properties?.type?.enum ?? [];
    assert.deepEqual(types.toSorted(), [...Object.values(exportedAs), ...otherLines].toSorted());
  });
});
