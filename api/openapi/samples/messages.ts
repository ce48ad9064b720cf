import * as errors from '../../../models/errors.js';
import { phoneText } from '../../../models/rules/messages/recipient.js';
import { at, ids, later, pagination, type Samples } from './sample.js';
import { bulkTemplate, richTemplate, template } from './templates.js';

const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello from Tidings' } };
const email = {
  to: 'ada@example.com',
  channel: 'email',
  content: { subject: 'Your order', text: 'It is on its way.', html: '<p>It is on its way.</p>' },
  reference: 'order-1042',
};
const rendered = { ...sms, content: { text: 'Hello {{ name | there }}' }, variables: { name: 'Ada' } };
const queued = {
  id: ids.message,
  ...sms,
  status: 'queued',
  status_detail: 'accepted',
  credits_used: 1,
  segments: 1,
  encoding: 'GSM-7',
  provider: null,
  provider_message_id: null,
  error_code: null,
  error_message: null,
  metadata: null,
  batch_id: null,
  reference: null,
  scheduled_at: null,
  created_at: at,
  sent_at: null,
  delivered_at: null,
  failed_at: null,
  read_at: null,
};
const sent = { provider: 'sandbox', provider_message_id: 'sandbox-0198c5b1', sent_at: later };
const delivered = { ...queued, ...sent, status: 'delivered', status_detail: 'delivered', delivered_at: later };
const timeline = {
  message_id: ids.message,
  channel: 'sms',
  status: 'sent',
  status_detail: 'awaiting_report',
  workflow_id: `msg:${ids.message}`,
  waiting_for: {
    what: 'report',
    text: 'Waiting for a delivery report from sandbox; we will query the provider if none arrives',
    until: '2026-11-24T10:00:02.345Z',
  },
  steps: [
    { at, type: 'accepted', text: 'The message was accepted', details: { batch_id: null, scheduled_at: null, expires_at: null } },
    {
      at,
      type: 'charged',
      text: '1 sms message',
      details: { transaction_id: ids.transaction, amount: -1, transaction_amount: -1 },
    },
    {
      at: later,
      type: 'attempt',
      text: 'Attempt 1, sandbox: accepted',
      details: {
        number: 1,
        provider: 'sandbox',
        chosen: { reason: 'only', text: 'its channel has no other account', share_percent: 100 },
        outcome: 'accepted',
        detail: null,
        provider_message_id: 'sandbox-0198c5b1',
        duration_ms: 12,
      },
    },
    {
      at: later,
      type: 'sent',
      text: 'sandbox took the message',
      details: { provider: 'sandbox', provider_message_id: 'sandbox-0198c5b1' },
    },
  ],
};
const cancelled = {
  ...queued,
  status: 'failed',
  status_detail: 'cancelled',
  credits_used: 0,
  error_code: 'cancelled',
  error_message: 'The message was cancelled',
  failed_at: later,
};
const bulk = {
  channel: 'sms',
  content: { text: 'Hello {{ name | there }}' },
  recipients: [{ to: '+15551234567', variables: { name: 'Ada' } }, '+15557654321'],
};
const batchInList = {
  id: ids.batch,
  channel: 'sms',
  status: 'sending',
  total: 2,
  accepted: 2,
  invalid: 0,
  credits_used: 2,
  counts: { queued: 2, sent: 0, delivered: 0, failed: 0, read: 0 },
  rate: null,
  scheduled_at: null,
  created_at: at,
  completed_at: null,
};
const batch = { ...batchInList, errors: [] };
const badPhone = errors.invalidField('to', phoneText);
const badChannel = errors.invalidField('channel', 'Invalid channel. Must be one of: sms, whatsapp, email');
const noText = errors.missingField('content.text');
const purse = [errors.insufficientCredits(2500, 100), errors.spendLimitReached()];
const bulkFaults = [errors.invalidField('recipients[3].to', phoneText), badChannel, noText];

const tooManyPlaceholders = errors.limitReached('A content', 200, 'placeholders');

/** Messages and batches. */
export const messageSamples: Samples = {
  'messages.send': {
    about:
      'The credits are taken and the message is queued when this answers. What happens to it then is told by webhooks, or by asking for the message. An sms costs 1 credit for each 160 characters, whatsapp 0.5, email 0.1. With `variables` the placeholders of the content are filled in by the rules of bulk sends; without them the content is literal.',
    requests: {
      sms,
      whatsapp: { ...sms, channel: 'whatsapp', metadata: { order: 1042 } },
      template,
      rich_template: richTemplate,
      email,
      rendered,
    },
    data: { message: queued },
    refusals: [badPhone, badChannel, noText, ...purse, tooManyPlaceholders],
  },
  'messages.send-bulk': {
    about:
      'Placeholders are `{{ name }}` or `{{ name | fallback }}`; length and cost are counted for each recipient. The credits of all are taken at once: 402 means that nothing was sent. A recipient who is there twice is sent to once. A recipient may be `{contact_id}`, or a `tag` may stand instead of all recipients: name and `custom_fields` of a contact are variables, behind what the recipient brings; both need the scope `manage_contacts` too.',
    requests: {
      bulk,
      lenient: { ...bulk, on_invalid: 'skip', rate: 10 },
      tagged: { channel: 'sms', content: bulk.content, tag: 'customers' },
      template: bulkTemplate,
    },
    data: { batch },
    refusals: [...bulkFaults, ...purse, errors.limitReached('A workspace', 50, 'open batches'), tooManyPlaceholders],
  },
  'messages.preview': {
    about:
      'Takes the body of a single or of a bulk send. Where that has a `fallback`, the answer has one too: what each step costs by itself, and `credits_max`, the most that all cost together. What is known of contacts is shown to keys with the scope `manage_contacts` only. `warnings` name texts of a single send with placeholders that would go out literally. A preview of a bulk send counts as a bulk send.',
    requests: { single: sms, bulk, with_fallback: { ...sms, fallback: [{ channel: 'whatsapp', after: 120 }] } },
    data: {
      messages: [{ to: sms.to, text: sms.content.text, segments: 1, encoding: 'GSM-7', credits: 1, errors: [] }],
      credits: 1,
    },
    refusals: [badPhone, badChannel, noText, tooManyPlaceholders],
  },
  'messages.list': {
    about: 'A bare day in `start_date` means its first moment, in `end_date` its last, in UTC.',
    data: { messages: [delivered], pagination },
  },
  'messages.get': { data: { message: delivered } },
  'messages.timeline': {
    about:
      'The one answer to “why is it not delivered yet”: what happened, in its order, with each call to a provider, each report as the provider sent it (addresses masked) and how it was applied, each movement of credits, each event with its deliveries. `waiting_for` says what has to happen next, null when nothing has to. `details` differ by `type`.',
    data: { timeline },
  },
  'messages.cancel': {
    about: 'Works until the message is handed to a provider.',
    data: { message: cancelled },
    refusals: [errors.conflict('Message can no longer be cancelled')],
  },
  'messages.list-bulk': { data: { batches: [batchInList], pagination } },
  'messages.get-bulk': { about: '`counts` always add up to `accepted`; `errors` are the recipients that were skipped.', data: { batch } },
  'messages.pause-bulk': {
    data: { batch: { ...batch, status: 'paused' } },
    refusals: [errors.conflict('Batch can no longer be paused')],
  },
  'messages.resume-bulk': { data: { batch }, refusals: [errors.conflict('Batch can no longer be resumed')] },
  'messages.cancel-bulk': {
    data: {
      batch: {
        ...batch,
        status: 'cancelled',
        credits_used: 0,
        counts: { queued: 0, sent: 0, delivered: 0, failed: 2, read: 0 },
        completed_at: later,
      },
    },
    refusals: [errors.conflict('Batch can no longer be cancelled')],
  },
};
