import assert from 'node:assert/strict';
import { suppress } from '../../../../models/operations/contacts/suppress.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { buildQueuedGroup, claimSome, messageOf, sandboxEverywhere, statusOf } from '../../../support/rows/messages.js';

describe('claims in rounds', () => {
  const test = workspaceForEach({ balance: 1_000_000 });

  it('a claim tells whether the group has more messages that were not tried', async () => {
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}, {}, {}]);
    const first = await claimSome(test.db, groupId, sandboxEverywhere, { limit: 2 });
    const second = await claimSome(test.db, groupId, sandboxEverywhere, { limit: 2, except: ids.slice(0, 2) });
    assert.deepEqual(
      [first, second].map(({ claims, hasMore }) => [claims.map(({ id }) => id), hasMore]),
      [
        [ids.slice(0, 2), true],
        [ids.slice(2), false],
      ],
    );
  });

  it('a message that must be refused since the first round fails in the last round', async () => {
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}, { to: '+15557654321' }]);
    const [first = '', second = '', third = ''] = ids;
    await claimSome(test.db, groupId, sandboxEverywhere, { limit: 1 });
    const { workspace_id, to } = await messageOf(test.db, third);
    await suppress(test.db, [{ workspace_id, channel: 'sms', recipient: to, reason: 'opt_out', source: 'inbound' }]);
    const { claims } = await claimSome(test.db, groupId, sandboxEverywhere, { limit: 2, except: [first] });
    assert.deepEqual(
      claims.map(({ id }) => id),
      [second],
    );
    assert.equal(await statusOf(test.db, third), 'failed/suppressed');
  });
});
