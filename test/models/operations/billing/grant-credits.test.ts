import assert from 'node:assert/strict';
import { inTransaction } from '../../../../models/db/database.js';
import { grantCredits } from '../../../../models/operations/billing/grant-credits.js';
import { credit } from '../../../../models/operations/billing/post-credits.js';
import { entryKinds } from '../../../../models/tables/credit-entry.js';
import { workspaceForEach } from '../../../support/for-each.js';

describe('grantCredits', () => {
  const test = workspaceForEach();

  for (const kind of entryKinds.filter((each) => each !== 'debit' && each !== 'refund'))
    it(`a grant is not posted again if an entry of the kind ${kind} has its reference`, async () => {
      const id = test.workspaceId;
      const posting = { reference: `operator:${id}:INV-1`, amount: 5_000, description: 'Invoice 1' };
      await inTransaction(test.db, (transaction) => credit(test.db, transaction, id, { kind, ...posting }));
      const grant = (amount: number) => grantCredits(test.db, { id, name: 'x' }, { amount, reason: 'Invoice 1', reference: 'INV-1' });
      assert.deepEqual(await grant(5_000), { balance: 105_000, debt: 0, isNew: false });
      await assert.rejects(grant(6_000), /the reference INV-1 was used to add 5 credits/);
    });
});
