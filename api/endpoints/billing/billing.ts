/** Billing: credit packages, checkout and transactions. */
import Joi from 'joi';
import { CreditEntry, entryKinds, ledgerSort } from '../../../models/tables/credit-entry.js';
import { CreditPackage } from '../../../models/tables/credit-package.js';
import { recordPaymentEvent } from '../../../models/operations/billing/record-payment-event.js';
import { mapRows } from '../../../models/rules/values/list-window.js';
import { openCheckout } from '../../outside/checkout.js';
import { logPayment } from '../../outside/log-payment.js';
import { endpoint, list } from '../../declare.js';
import { idempotentReply } from '../../http/reply.js';
import { digestRequest } from '../../http/idempotency.js';
import { checkoutOutcome } from '../../present/checkout-outcome.js';
import { presentPackage, presentTransaction } from '../../present/presenters.js';
import { date, id, messageOnly, enumOf } from '../../http/schemas/schemas.js';
import { named } from '../../http/schemas/json-schema.js';
import { requiredText, text } from '../../http/schemas/validation.js';

const creditPackage = named(
  'CreditPackage',
  Joi.object({
    id: id(),
    name: Joi.string().required(),
    credits: Joi.number().required(),
    price_cents: Joi.number().integer().required(),
    currency: Joi.string().required(),
  }),
);

export const listCreditPackagesEndpoint = endpoint({
  id: 'listCreditPackages',
  tag: 'billing',
  method: 'get',
  path: '/api/v1/billing/packages',
  summary: 'List the credit packages for sale',
  auth: 'none',
  response: named('CreditPackageList', Joi.object({ packages: Joi.array().items(creditPackage).required() })),
  handler: async () => ({ packages: (await CreditPackage.forSale()).map(presentPackage) }),
});

export const createCheckoutEndpoint = endpoint({
  id: 'createCheckout',
  tag: 'billing',
  method: 'post',
  path: '/api/v1/billing/checkout',
  summary: 'Create a checkout session for a credit package; payment happens on the page of the payment provider',
  auth: 'jwt',
  body: Joi.object<{ package_id: string }>({ package_id: requiredText() }).required(),
  idempotent: true,
  response: named('CheckoutData', Joi.object({ checkout_url: Joi.string().required(), session_id: Joi.string().required() })),
  status: 201,
  async handler({ caller, body, idempotencyKey, origin }, deps) {
    const request = { packageId: body.package_id, idempotencyKey, digest: idempotencyKey === null ? null : digestRequest(body), origin };
    const { url, sessionId, isReplay } = await openCheckout(deps, caller, request);
    return idempotentReply({ checkout_url: url, session_id: sessionId }, isReplay);
  },
});

const transaction = named(
  'Transaction',
  Joi.object({
    id: id(),
    type: enumOf('TransactionType', entryKinds).required(),
    amount: Joi.number().required(),
    balance_after: Joi.number().required(),
    description: Joi.string().required(),
    reference: Joi.string().required(),
    created_at: date(),
  }),
);

export const listTransactionsEndpoint = list({
  id: 'listTransactions',
  tag: 'billing',
  path: '/api/v1/billing/transactions',
  summary: 'List credit transactions, newest first; their sum is the balance',
  auth: 'jwt',
  name: 'transactions',
  row: transaction,
  sort: ledgerSort,
  find: async ({ caller, window }) => mapRows(await CreditEntry.pageOf(caller.workspaceId, window), presentTransaction),
});

export const receivePaymentEventEndpoint = endpoint({
  id: 'receivePaymentEvent',
  tag: 'billing',
  method: 'post',
  path: '/api/v1/billing/webhook',
  summary: 'Receive an event of the payment provider',
  auth: 'provider',
  rate: 'callback',
  bodyBytesMax: 256 * 1024,
  checkHead: ({ headers }, { payments }) => payments.checkHead(headers),
  response: named('PaymentEventData', Joi.object({ received: Joi.boolean().required() })),
  async handler({ signed }, { db, payments, logger }) {
    const event = await payments.readEvent(signed.headers, signed.body);
    logPayment(logger, event, await recordPaymentEvent(db, event));
    return { received: true };
  },
});

/** The payment provider redirects the browser here after a checkout. The redirect proves nothing about the payment, which the callback reports. */
export const returnFromCheckoutEndpoint = endpoint({
  id: 'returnFromCheckout',
  tag: 'billing',
  method: 'get',
  path: '/billing/return',
  summary: 'Show the outcome of a checkout; the payment provider redirects the browser here',
  auth: 'none',
  query: Joi.object<{ checkout?: string }>({ checkout: text().valid('success', 'cancelled').description('The outcome of the checkout') }),
  response: messageOnly,
  async handler({ query: { checkout } }) {
    const { title, message } = checkoutOutcome(checkout);
    return { message: checkout === 'success' ? `${title}. ${message}` : message };
  },
});
