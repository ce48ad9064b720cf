import * as errors from '../../../models/errors.js';
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
const faults = [
  errors.invalidField('phone', 'Phone number must be in E.164 format'),
  errors.invalidField('email', 'Invalid email address'),
  errors.contactExists(['phone']),
  errors.contactExists(['email']),
];

/** Contacts, billing, and what else there is. */
export const otherSamples: Samples = {
  'contacts.create': {
    requests: {
      complete: { name: contact.name, phone: contact.phone, email: contact.email, tags: contact.tags },
      small: { email: contact.email },
    },
    data: { contact },
    refusals: [errors.unreachableContact(), ...faults],
  },
  'contacts.list': { data: { contacts: [contact], pagination } },
  'contacts.get': { data: { contact } },
  'contacts.update': {
    requests: { change: { tags: ['customers', 'newsletter'] }, clear: { name: null } },
    data: { contact: { ...contact, tags: ['customers', 'newsletter'], updated_at: later } },
    refusals: [errors.unreachableContact(), ...faults],
  },
  'contacts.delete': { data: { message: 'Contact has been deleted' } },
  'billing.packages': {
    data: { packages: [{ id: ids.package, name: 'Starter', credits: 1000, price_cents: 1000, currency: 'usd' }] },
  },
  'billing.checkout': {
    about: 'Open `checkout_url` in a browser. The credits are there when the payment provider has confirmed the payment.',
    requests: { package: { package_id: ids.package } },
    data: { checkout_url: 'https://checkout.stripe.com/c/pay/cs_test_a1', session_id: 'cs_test_a1' },
    refusals: [errors.purchaseFailed(), errors.billingNotConfigured()],
  },
  'billing.transactions': {
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
  'billing.webhook': { data: { received: true }, refusals: [errors.invalidSignature(), errors.billingNotConfigured()] },
  'billing.return': { data: { message: 'Thank you. The credits are on your balance as soon as the payment is confirmed.' } },
  'callbacks.receive': { about: 'Not for clients.', data: { received: 1 }, refusals: [errors.notFound(), errors.invalidJson()] },
  'health.get': {
    about: '`redis` speaks for the store of the rate limiter, `queue` for Temporal with a worker that polls.',
    data: { status: 'ok', timestamp: at, services: { database: 'ok', redis: 'ok', queue: 'ok' } },
  },
};
