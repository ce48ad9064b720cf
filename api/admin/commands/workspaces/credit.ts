import { creditPayment } from '../../../../models/operations/billing/credit-payment.js';
import { grantCredits } from '../../../../models/operations/billing/grant-credits.js';
import { creditsText, toCredits } from '../../../../models/rules/billing/credits.js';
import { readMoney } from '../../../../models/rules/billing/currency.js';
import { type Command, type ParsedArguments, textIn, UsageError } from '../../command.js';
import { requireWorkspace, titleOf } from '../../require-workspace.js';
import { creditOptions, leftText, readCredits } from '../../read-credits.js';

export const creditCommand: Command = {
  name: 'workspace credit',
  aliases: ['credit'],
  takes: ['workspace', 'credits'],
  options: {
    ...creditOptions('adds'),
    payment: {
      value: 'ID',
      about: 'The payment of Stripe (pi_…) that is credited, once. Its refunds and disputes take the credits back. Needs --paid',
    },
    paid: { value: 'MONEY', about: 'The amount of the payment, for example "5.00 USD"' },
  },
  summary: 'Add credits to a workspace.',
  async run(given, { db }) {
    const [named = '', credits = ''] = given.positionals;
    const [reason = '', reference] = [textIn(given, 'reason'), textIn(given, 'reference')];
    const amount = readCredits(credits);
    const payment = paymentIn(given);
    const workspace = await requireWorkspace(named);
    const granted =
      payment === undefined
        ? await grantCredits(db, workspace, { amount, reason, reference })
        : await creditPayment(db, workspace, { ...payment, credits: amount, reason });
    const done = granted.isNew ? `got ${creditsText(amount)}` : `already got the credits of ${payment?.paymentId ?? reference}`;
    const text = `${titleOf(workspace)} ${done}. ${leftText(granted)}`;
    const { balance, debt, isNew } = granted;
    return { ok: true, text, data: { workspace_id: workspace.id, balance: toCredits(balance), debt: toCredits(debt), changed: isNew } };
  },
};

/** The payment that is credited; undefined without one. @throws UsageError */
function paymentIn(given: ParsedArguments) {
  const [paymentId, money] = [textIn(given, 'payment'), textIn(given, 'paid')];
  if (paymentId === undefined && money === undefined) return undefined;
  if (paymentId === undefined || money === undefined) throw new UsageError('--payment and --paid belong together');
  if (textIn(given, 'reference') !== undefined) throw new UsageError('--reference is not needed: a payment is credited once');
  // Refunds and disputes name the payment intent. Neither the id of its charge nor that of its session would find the credits.
  if (!/^pi_\w{1,250}$/.test(paymentId)) throw new UsageError('--payment must be the id of a payment of Stripe, such as pi_3Pabc');
  const paid = readMoney(money);
  if (paid === null) throw new UsageError('--paid must be an amount above 0 with its currency, for example "5.00 USD"');
  return { paymentId, paid };
}
