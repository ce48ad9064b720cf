import * as conflicts from '../../../models/conflicts.js';
import * as errors from '../../../models/errors.js';
import { emailText, phoneText } from '../../../models/rules/messages/recipient.js';
import { successTexts } from '../../present/success-texts.js';
import { at, ids, later, pagination, type Samples } from './sample.js';

const contact = {
  id: ids.contact,
  name: 'Ada Lovelace',
  phone: '+15551234567',
  email: 'ada@example.com',
  tags: ['customers'],
  custom_fields: { language: 'en' },
  created_at: at,
  updated_at: at,
};
const until = '2026-12-21T10:00:00.000Z';
const suppression = {
  id: ids.suppression,
  channel: 'sms',
  recipient: '+15551234567',
  reason: 'manual',
  source: 'api',
  message_id: null,
  expires_at: null,
  created_at: at,
};
const faults = [
  errors.invalidField('phone', phoneText),
  errors.invalidField('email', emailText),
  errors.contactExists(['phone']),
  errors.contactExists(['email']),
];

/** Samples of contacts, suppressions, billing, callbacks and health. */
export const otherSamples: Samples = {
  createContact: {
    requests: {
      complete: { name: contact.name, phone: contact.phone, email: contact.email, tags: contact.tags },
      small: { email: contact.email },
    },
    data: { contact },
    refusals: [errors.unreachableContact(), ...faults],
  },
  listContacts: { data: { contacts: [contact], pagination } },
  getContact: { data: { contact } },
  updateContact: {
    about: 'Omitted fields are unchanged. Null clears a field; an empty list or object does the same for `tags` and `custom_fields`.',
    requests: { change: { tags: ['customers', 'newsletter'] }, clear: { name: null } },
    data: { contact: { ...contact, tags: ['customers', 'newsletter'], updated_at: later } },
    refusals: [errors.unreachableContact(), ...faults],
  },
  deleteContact: { data: { message: successTexts.contactDeleted } },
  createSuppression: {
    about:
      'A message to a suppressed recipient is accepted, fails with the error code `suppressed` before it is handed to a carrier, and is refunded. If the recipient is already suppressed, a temporary suppression is replaced. A permanent one stays unchanged, also its reason, and the response shows it: to replace it, remove it first.',
    requests: {
      permanent: { channel: 'sms', recipient: '+15551234567' },
      temporary: { channel: 'email', recipient: 'ada@example.com', expires_at: until },
    },
    data: { suppression },
    refusals: [
      errors.invalidField('recipient', phoneText),
      errors.invalidField('recipient', emailText),
      errors.invalidField('expires_at', errors.pastText('expires_at')),
    ],
  },
  listSuppressions: { data: { suppressions: [suppression], pagination } },
  getSuppression: { data: { suppression } },
  deleteSuppression: {
    about: 'Messages to the recipient are sent again. The carrier may still have its own suppression list.',
    data: { message: successTexts.suppressionRemoved },
    refusals: [conflicts.recipientsSuppression()],
  },
  unsubscribe: {
    about:
      'The signed URL in the `List-Unsubscribe` header of an e-mail that was sent with `content.unsubscribe`. Used by mail programs, not by clients.',
    data: { message: successTexts.unsubscribed },
    refusals: [errors.notFound()],
  },
  describeUnsubscribe: {
    data: { message: successTexts.notUnsubscribed },
  },
  listCreditPackages: {
    data: { packages: [{ id: ids.package, name: 'Starter', credits: 1000, price_cents: 1000, currency: 'usd' }] },
  },
  createCheckout: {
    about: 'Open `checkout_url` in a browser. The credits are added when the payment provider confirms the payment.',
    requests: { package: { package_id: ids.package } },
    data: { checkout_url: 'https://checkout.stripe.com/c/pay/cs_test_a1', session_id: 'cs_test_a1' },
    refusals: [errors.purchaseFailed(), errors.notFound('Credit package'), errors.billingNotConfigured()],
  },
  listTransactions: {
    data: {
      transactions: [
        {
          id: ids.transaction,
          type: 'debit',
          amount: -1,
          balance_after: 99,
          description: 'Message',
          reference: ids.message,
          created_at: at,
        },
      ],
      pagination,
    },
  },
  receivePaymentEvent: { data: { received: true }, refusals: [errors.invalidPaymentSignature(), errors.billingNotConfigured()] },
  returnFromCheckout: { data: { message: 'Thank you. Your credits are added as soon as the payment is confirmed.' } },
  receiveDeliveryReports: {
    about: 'Not for clients.',
    data: { received: 1 },
    refusals: [errors.invalidCallbackSignature(), errors.notFound(), errors.invalidJson()],
  },
  getHealth: {
    about:
      '`redis` is the store of the rate limiter, `queue` is Temporal with a polling worker, `watcher` is the job that finds and repairs ' +
      'messages and deliveries that a crash left unfinished, and `workers` are the worker processes by their heartbeats.',
    data: {
      status: 'ok',
      timestamp: at,
      services: { database: 'ok', redis: 'ok', queue: 'ok' },
      watcher: { status: 'ok', age_seconds: 12, failing: [] },
      workers: { status: 'ok', alive: 2, lost: 0, age_seconds: 3 },
    },
  },
  getLiveness: { about: 'For process managers. It checks no other server.', data: { status: 'ok' } },
  getReadiness: {
    about: 'For load balancers. After SIGTERM it returns 503 immediately, while the process still serves requests for `DRAIN_SECONDS`.',
    data: { status: 'ok' },
  },
};
