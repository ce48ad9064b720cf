import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import type { SendOutcome } from '../../../activities/handoff/providers/provider.js';
import { buildQueued } from '../../support/rows/factories.js';
import { twoAccounts, untilExchangeIsDue } from './two-accounts.js';

describe('the health of an account', () => {
  const { test, accounts, worker, setLevel } = twoAccounts();
  /** Hands off messages one by one, then one more after the counts were exchanged. */
  const sendSome = async (count: number) => {
    const handOff = worker({ one: 3 }); // so that chance does not give it too few calls to judge it by
    for (let each = 0; each < count; each += 1) await handOff((await buildQueued(test.db, test.workspaceId)).group_id);
    await untilExchangeIsDue();
    await handOff((await buildQueued(test.db, test.workspaceId)).group_id);
  };
  const changes = () => rows<{ account: string; to_level: number }>(test.db, 'SELECT account, to_level FROM route_changes ORDER BY id');

  for (const error_code of ['sender_refused', 'limit_exceeded']) {
    it(`the health of an account falls when it refuses messages as ${error_code}, whatever they are`, async () => {
      accounts.outcomes.one = { outcome: 'rejected', error_code, error_message: 'Account locked' };
      await sendSome(24);
      assert.deepEqual(await changes(), [{ account: 'one', to_level: 0 }]);
    });
  }

  it('the health of an account does not fall when it refuses messages for their own fault', async () => {
    accounts.outcomes.one = { outcome: 'rejected', error_code: '30008', error_message: 'Unknown destination' };
    await sendSome(24);
    assert.deepEqual(await changes(), []);
  });

  it('the health of an account does not fall when one recipient gets too many messages', async () => {
    accounts.outcomes.one = { outcome: 'retryable', detail: '131056', concernsRecipient: true };
    await sendSome(24);
    assert.deepEqual(await changes(), []);
  });

  it('the health of an account does not fall when it refuses messages because of the limit of one recipient', async () => {
    accounts.outcomes.one = { outcome: 'rejected', error_code: 'limit_exceeded', error_message: 'Mailbox limit', concernsRecipient: true };
    await sendSome(24);
    assert.deepEqual(await changes(), []);
  });

  it('the health of an account does not rise when its adapter rejects the probe without a call', async () => {
    const byCarrier: SendOutcome = { outcome: 'rejected', error_code: 'invalid_template', error_message: 'No such template' };
    for (const [outcome, levels] of [
      [{ ...byCarrier, isUncalled: true as const }, []],
      [byCarrier, [1]],
    ] as const) {
      accounts.outcomes.one = outcome;
      await setLevel('one', 0, -1);
      await sendSome(1);
      const risen = (await changes()).filter(({ account }) => account === 'one').map(({ to_level }) => to_level);
      assert.deepEqual(risen, levels);
    }
  });
});
