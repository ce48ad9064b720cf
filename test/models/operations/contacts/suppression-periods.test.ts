import assert from 'node:assert/strict';
import { suppress } from '../../../../models/operations/contacts/suppress.js';
import { rows } from '../../../support/database.js';
import { workspaceForEach } from '../../../support/for-each.js';

describe('the period of a suppression', () => {
  const test = workspaceForEach();
  const recipient = 'ada@example.com';
  const ownFor = (days: number) => {
    const entry = { workspace_id: test.workspaceId, channel: 'email', recipient, reason: 'manual', source: 'api' } as const;
    return suppress(test.db, [{ ...entry, expires_at: new Date(Date.now() + days * 86_400_000) }]);
  };
  const bounce = () =>
    suppress(test.db, [{ workspace_id: test.workspaceId, channel: 'email', recipient, reason: 'bounce', source: 'report' }]);
  const listed = async () =>
    (
      await rows<{ entry: string }>(
        test.db,
        `SELECT reason || ' ' || round(extract(epoch FROM expires_at - now()) / 86400) AS entry FROM suppressions WHERE workspace_id = $1`,
        [test.workspaceId],
      )
    ).map(({ entry }) => entry);

  it('a bounce does not shorten a suppression that the workspace made', async () => {
    await ownFor(60);
    await bounce();
    assert.deepEqual(await listed(), ['manual 60']);
  });

  it('a bounce extends a suppression, and only the workspace shortens it', async () => {
    await ownFor(10);
    await bounce();
    assert.deepEqual(await listed(), ['bounce 30']);
    await ownFor(5);
    assert.deepEqual(await listed(), ['manual 5']);
  });
});
