/** Charges of chains whose first message is refunded after its step was sent. */
import { drop, entryOf, first, message, type Mutant, refold } from './edit.js';
import { refunded } from './money.js';

export const chainChargeMutants: Mutant[] = [
  {
    name: 'a step that was sent before the refund of the first message is free',
    rule: 'prices-are-right',
    plant: (run) => {
      const transfer = first(run.snapshot.transfers, () => true);
      const step = first(run.snapshot.messages, ({ id }) => id === transfer.to_id);
      step.cost -= transfer.amount;
      step.credits_used -= transfer.amount;
      const refund = entryOf(run, 'refund', transfer.from_id);
      refund.amount += transfer.amount;
      drop(run.snapshot.transfers, (each) => each === transfer);
      refold(run, step.workspace_id);
    },
  },
  {
    name: 'a step takes over the charge of another chain',
    rule: 'refunds-match',
    plant: (run) => {
      const transfer = first(run.snapshot.transfers, () => true);
      const own = entryOf(run, 'refund', transfer.from_id);
      const other = message(run, (row) => refunded(row) && row.cost > transfer.amount);
      own.amount += transfer.amount;
      entryOf(run, 'refund', other.id).amount -= transfer.amount;
      transfer.from_id = other.id;
      refold(run, own.workspace_id);
      refold(run, other.workspace_id);
    },
  },
];
