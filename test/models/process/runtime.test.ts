import assert from 'node:assert/strict';
import { outdatedRuntime } from '../../../models/process/runtime.js';

describe('the version of Node', () => {
  it('a version of Node without long-term support, or after its end, gets a warning', () => {
    const now = new Date('2026-11-22T12:00:00Z');
    assert.equal(outdatedRuntime('v20.20.2', now), 'Node 20.20.2 got its last security update on 2026-04-30: use Node 24');
    assert.equal(outdatedRuntime('v25.1.0', now), 'Node 25.1.0 is not a long-term support (LTS) version: use Node 24');
    assert.equal(outdatedRuntime('v24.21.0', now), undefined);
    assert.equal(outdatedRuntime('v24.21.0', new Date('2028-05-01T00:00:00Z'))?.includes('2028-04-30'), true);
  });
});
