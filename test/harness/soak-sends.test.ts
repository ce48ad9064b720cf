import assert from 'node:assert/strict';
import { createSender, type Answer } from '../../harness/load/sender.js';
import { sendBatch, type Sends } from '../../harness/load/soak-sends.js';

describe('the batch of a soak', () => {
  const accepted = (id: string): Answer => ({ status: 201, body: JSON.stringify({ data: { batch: { id } } }) });
  const refused: Answer = { status: 400, body: 'no' };
  const sent = async (...answers: Answer[]) => {
    const sends: Sends = { messageIds: new Set(), retries: 0, seconds: 0, violations: [] };
    const sender = { ...createSender('http://127.0.0.1', 'key'), postBulk: () => Promise.resolve(answers.shift() ?? refused) };
    const id = await sendBatch(sender, 1, undefined, sends);
    return { id, violations: sends.violations.map((text) => text.replace(/soak-batch-\S+/, 'KEY')) };
  };

  it('a batch that only the repeated call accepted is known by its id, and breaks no promise about its key', async () => {
    assert.deepEqual(await sent(refused, accepted('one')), { id: 'one', violations: ['the batch was answered 400: no'] });
  });

  it('a key that stands for two batches breaks a promise', async () => {
    assert.deepEqual(await sent(accepted('one'), accepted('two')), { id: 'one', violations: ['key KEY stands for one and for two'] });
    assert.deepEqual(await sent(accepted('one'), accepted('one')), { id: 'one', violations: [] });
  });
});
