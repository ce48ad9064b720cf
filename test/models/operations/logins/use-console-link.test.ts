import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { useConsoleLink } from '../../../../models/operations/logins/use-console-link.js';
import { Workspace } from '../../../../models/tables/workspace.js';
import { byTest } from '../../../support/by-test.js';
import { workspaceForEach } from '../../../support/for-each.js';

describe('a link of a local start', () => {
  const test = workspaceForEach({ poolMax: 1 });

  it('a link of a local start logs in with one connection to the database', async () => {
    const { email } = await Workspace.findByPk(test.workspaceId, { rejectOnEmpty: true });
    const link = { email, id: randomUUID(), expiresAt: new Date(Date.now() + 60_000) };
    assert.equal((await useConsoleLink(test.db, link, byTest))?.id, test.workspaceId);
  });
});
