import assert from 'node:assert/strict';
import { fallBack } from '../../../models/operations/messages/fall-back.js';
import { workflowIds } from '../../../workflows/contract.js';
import { statusOf } from '../../support/rows/messages.js';
import { erasuresForEach } from './erasures-stage.js';

/** The watcher begins an erasure up to 30 seconds after its request. Meanwhile, chains go on. */
describe('a chain whose next step begins between the request of an erasure and its run', () => {
  const stage = erasuresForEach();
  const { send, sms, ask, finishErasures, placesOfRecipient, handOff } = stage;
  const nextOf = async (id: string) => (await fallBack(stage.db, id, true, workflowIds.message)).next?.groupId;
  const chainTo = async (...steps: { channel: string; to: string; after: number }[]) => {
    const { id } = (await send({ ...sms(), fallback: steps })).body.data.message;
    await handOff(id);
    return id as string;
  };

  it('no step to an erased recipient is sent after a step that began before the erasure ran', async () => {
    const address = `third.${stage.to.slice(1)}@example.com`;
    const first = await chainTo({ channel: 'whatsapp', to: stage.to, after: 60 }, { channel: 'email', to: address, after: 60 });
    const erasure = await ask(address);
    const second = (await nextOf(first)) ?? '';
    await handOff(second);
    await finishErasures();
    assert.deepEqual(
      [await stage.shownErasure(erasure), await nextOf(second), await placesOfRecipient(address)],
      [['completed', 0], undefined, []],
    );
  });

  it('a step to an erased recipient that began before the erasure ran is cancelled and erased', async () => {
    const address = `second.${stage.to.slice(1)}@example.com`;
    const first = await chainTo({ channel: 'email', to: address, after: 60 });
    await ask(address);
    const second = (await nextOf(first)) ?? '';
    await finishErasures();
    assert.deepEqual([await statusOf(stage.db, second), await placesOfRecipient(address)], ['failed/cancelled', []]);
  });
});
