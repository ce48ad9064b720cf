/** Deliberate faults in balances, in payments, and in the number of messages that the debit writes. */
import type { Mutation } from './mutations.js';

export const moneyMutations: readonly Mutation[] = [
  {
    guards: 'the balance guard',
    file: 'models/operations/post-credits.ts',
    find: 'WHERE id = $1 AND balance + $2 >= 0',
    replace: 'WHERE id = $1',
    test: 'models/operations/post-credits',
  },
  {
    guards: 'one ledger entry for each cause',
    file: 'models/migrations/0001-initial.sql',
    find: 'UNIQUE (kind, reference)',
    replace: 'CHECK (true)',
    test: 'models/operations/post-credits',
  },
  {
    guards: 'the condition of a refund',
    file: 'models/operations/record-statuses.ts',
    find: 'credits_used === 0 && cost > 0',
    replace: 'cost > 0',
    test: 'models/operations/apply-reports',
  },
  {
    guards: 'the amount of a payment',
    file: 'models/operations/record-payment-event.ts',
    find: "if (differs(amountCents, order.amount_cents) || differs(currency, order.currency)) return 'mismatched';",
    replace: '',
    test: 'api/billing-webhook',
  },
  {
    guards: 'a payment is credited once',
    file: 'models/operations/record-payment-event.ts',
    find: "order.status === 'paid' || ",
    replace: '',
    test: 'api/billing-webhook',
  },
  {
    guards: 'how many messages a workspace has',
    file: 'models/operations/post-credits.ts',
    find: 'w.message_count + 1',
    replace: 'w.message_count',
    test: 'models/operations/message-count',
  },
  {
    guards: 'a message that costs nothing is counted',
    file: 'models/operations/post-credits.ts',
    find: 'SET message_count = message_count + 1',
    replace: 'SET message_count = message_count',
    test: 'models/operations/message-count',
  },
  {
    guards: 'how many messages a workspace had before',
    file: 'models/migrations/0016-message-count.sql',
    find: " WHERE status <> 'accepting'",
    replace: '',
    test: 'models/operations/message-count',
  },
  {
    guards: 'what comes after what in the ledger',
    file: 'models/operations/post-credits.ts',
    find: 'w.entry_count + 1',
    replace: 'w.entry_count',
    test: 'models/operations/ledger-drift',
  },
  {
    guards: 'a balance that differs from its ledger is seen',
    file: 'models/operations/ledger-drift.ts',
    find: 'e.number > COALESCE(mark.number, before.number, 0)',
    replace: 'e.number > COALESCE(mark.number, before.number, 0) + 1',
    test: 'models/operations/ledger-drift',
  },
  {
    guards: 'a difference of a balance is told until it is mended',
    file: 'models/operations/ledger-drift.ts',
    find: 'const right = moved.filter(({ balance, ledger }) => balance === ledger);',
    replace: 'const right = moved;',
    test: 'models/operations/ledger-drift',
  },
];
