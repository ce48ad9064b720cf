import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { endWorkflows } from '../../../api/recovery/end-workflows.js';
import { workflowTypes } from '../../../workflows/contract.js';

describe('the end of all workflows', () => {
  it('a workflow that cannot be terminated fails the recovery with the reason, also while the list goes on', async () => {
    const listed = [['refused', 'other'], [], []];
    const workflow = {
      async *list() {
        for (const workflowId of listed.shift() ?? []) {
          yield { workflowId, type: workflowTypes.sendMessage };
          await nextTurn(); // the next page is read
        }
      },
      getHandle: (workflowId: string) => ({
        terminate: () => (workflowId === 'refused' ? Promise.reject(new Error('permission denied')) : Promise.resolve()),
      }),
    };
    await assert.rejects(endWorkflows({ workflow } as unknown as Client, 'test'), /permission denied/);
  });
});
