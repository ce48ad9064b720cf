import assert from 'node:assert/strict';
import { awaitedPriority, groupStart, lateReportsSignal, lateReportsStart, mailStart } from '../../workflows/starts.js';

describe('starts of workflows', () => {
  it('starts for late reports and mails have a summary for the Temporal Web UI', () => {
    const summaries = [lateReportsSignal('g'), lateReportsStart({ groupId: 'g', isOver: true }), mailStart('m')].map(
      ({ staticSummary }) => staticSummary,
    );
    assert.deepEqual(summaries, ['late reports of g', 'overdue reports of g', 'account mail m']);
  });

  it('the workflow of a group is found by workspace, channel, batch and the ends of the ids of its messages', () => {
    const group = { groupId: 'g', workflowId: 'grp:g', channel: 'sms', messageIds: ['0198c0de-0000-7000-8000-0000000000aa'] } as const;
    const attributesOf = (more: { workspaceId: string | null; batchId?: string }) =>
      groupStart({ ...group, ...more }, { staticSummary: 'sms', priority: awaitedPriority }).options.typedSearchAttributes.map(
        ({ key, value }) => [key.name, value],
      );
    assert.deepEqual(attributesOf({ workspaceId: 'w', batchId: 'b' }), [
      ['Channel', 'sms'],
      ['WorkspaceId', 'w'],
      ['BatchId', 'b'],
      ['MessageIds', ['0000000000aa']],
    ]);
    assert.deepEqual(
      attributesOf({ workspaceId: null }).map(([name]) => name),
      ['Channel', 'MessageIds'],
    );
  });
});
