import { channels } from '../../../models/channels.js';
import * as conflicts from '../../../models/conflicts.js';
import * as errors from '../../../models/errors.js';
import { nullsOf } from '../../../models/tables/columns.js';
import { messageColumns } from '../../../models/tables/message.js';
import { emptiedFault } from '../../../models/rules/messages/content-limits.js';
import { phoneText } from '../../../models/rules/messages/recipient.js';
import { routeTexts } from '../../../models/rules/routing/route.js';
import { presentMessage } from '../../endpoints/messages/message-view.js';
import { pricesInWords } from '../../present/channel-texts.js';
import { at, ids, later, pagination, type Samples } from './sample.js';
import { bulkTemplate, richTemplate, template } from './templates.js';

const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello from Tidings' } } as const;
const email = {
  to: 'ada@example.com',
  channel: 'email',
  content: { subject: 'Your order', text: 'It is on its way.', html: '<p>It is on its way.</p>' },
  reference: 'order-1042',
};
const rendered = { ...sms, content: { text: 'Hello {{ name | there }}' }, variables: { name: 'Ada' } };
const queued = presentMessage({
  ...nullsOf(messageColumns),
  id: ids.message,
  workspace_id: ids.workspace,
  group_id: ids.message,
  ...sms,
  status: 'queued',
  status_detail: 'accepted',
  cost: 1_000,
  credits_used: 1_000,
  segments: 1,
  encoding: 'GSM-7',
  created_at: new Date(at),
});
const sent = { provider: 'sandbox', provider_message_id: 'sandbox-0198c5b1', sent_at: later };
const delivered = { ...queued, ...sent, status: 'delivered', status_detail: 'delivered', delivered_at: later };
const timeline = {
  message_id: ids.message,
  channel: 'sms',
  status: 'sent',
  status_detail: 'awaiting_report',
  workflow_id: `msg:${ids.message}`,
  workflow_url: null,
  waiting_for: {
    what: 'report',
    text: 'Waiting for a delivery report from sandbox; we will query the carrier if none arrives',
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
        chosen: { reason: 'only', text: routeTexts.only, share_percent: 100 },
        outcome: 'accepted',
        detail: null,
        provider_message_id: 'sandbox-0198c5b1',
        duration_ms: 12,
      },
    },
    {
      at: later,
      type: 'sent',
      text: 'sandbox accepted the message',
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
const badChannel = errors.invalidField('channel', `Invalid channel. Must be one of: ${channels.join(', ')}`);
const noContact = errors.notFound('Contact');
const noText = errors.missingField('content.text');
const purse = [errors.insufficientCredits(2500, 100), errors.spendLimitReached()];
const bulkFaults = [errors.invalidField('recipients[3].to', phoneText), badChannel, noText];

const tooManyPlaceholders = conflicts.tooManyPlaceholders(200);

/** Samples of messages and batches. */
export const messageSamples: Samples = {
  sendMessage: {
    about: `When this returns, the credits are debited and the message is queued. Follow its delivery with webhooks, or get the message. Prices in credits: ${pricesInWords}. With \`variables\`, placeholders in the content are replaced by the rules of bulk sends. Without \`variables\` the content is sent literally.`,
    requests: {
      sms,
      whatsapp: { ...sms, channel: 'whatsapp', metadata: { order: 1042 } },
      template,
      rich_template: richTemplate,
      email,
      rendered,
    },
    data: { message: queued },
    refusals: [badPhone, badChannel, noText, errors.invalid([emptiedFault]), ...purse, noContact, tooManyPlaceholders],
  },
  sendBulk: {
    about:
      'Placeholders are `{{ name }}` or `{{ name | fallback }}`. Length and cost are computed per recipient. All credits are debited at once: 402 means that nothing was sent. A duplicate recipient gets one message. A recipient may be `{contact_id}`, and `tag` may replace the list of recipients. The name and `custom_fields` of a contact are variables; variables of the recipient take precedence. Both also need the scope `manage_contacts`.',
    requests: {
      bulk,
      lenient: { ...bulk, on_invalid: 'skip', rate: 10 },
      tagged: { channel: 'sms', content: bulk.content, tag: 'customers' },
      template: bulkTemplate,
    },
    data: { batch },
    refusals: [...bulkFaults, ...purse, conflicts.quotaReached('openBatches', 50), tooManyPlaceholders],
  },
  previewMessages: {
    about:
      'Takes the body of a single or bulk send. If the body has a `fallback`, the response lists the cost of each step, and in `credits_max` the most that the whole chain can cost. Fields of contacts are shown only to keys with the scope `manage_contacts`. `warnings` lists probable mistakes: a suppressed recipient, an e-mail without a subject, a field of `content` that no channel of the message has, a template value that WhatsApp refuses, a time in the past; in a single send also an impossible phone number, and placeholders that would be sent literally. The preview of a bulk send counts in the rate limit of bulk sends.',
    requests: { single: sms, bulk, with_fallback: { ...sms, fallback: [{ channel: 'whatsapp', after: 120 }] } },
    data: {
      messages: [{ to: sms.to, text: sms.content.text, segments: 1, encoding: 'GSM-7', credits: 1, errors: [] }],
      credits: 1,
    },
    refusals: [badPhone, badChannel, noText, noContact, tooManyPlaceholders],
  },
  listMessages: { data: { messages: [delivered], pagination } },
  getMessage: { data: { message: delivered } },
  getMessageTimeline: {
    about:
      'Explains why a message is not delivered yet. Lists in order every call to a carrier, every delivery report as the carrier sent it (addresses masked), every credit transaction, and every event with its deliveries. `waiting_for` is the step that the message waits for; null if there is none. `details` depend on `type`.',
    data: { timeline },
  },
  cancelMessage: {
    about: 'Possible until the message is handed to a carrier.',
    data: { message: cancelled },
    refusals: [conflicts.canNoLonger('Message', 'cancelled')],
  },
  listBatches: { data: { batches: [batchInList], pagination } },
  getBatch: { about: '`counts` always add up to `accepted`. `errors` lists the skipped recipients.', data: { batch } },
  pauseBatch: {
    data: { batch: { ...batch, status: 'paused' } },
    refusals: [conflicts.canNoLonger('Batch', 'paused')],
  },
  resumeBatch: { data: { batch }, refusals: [conflicts.canNoLonger('Batch', 'resumed')] },
  cancelBatch: {
    data: {
      batch: {
        ...batch,
        status: 'cancelled',
        credits_used: 0,
        counts: { queued: 0, sent: 0, delivered: 0, failed: 2, read: 0 },
        completed_at: later,
      },
    },
    refusals: [conflicts.canNoLonger('Batch', 'cancelled')],
  },
};
