import * as conflicts from '../../../models/conflicts.js';
import * as errors from '../../../models/errors.js';
import { emailText, phoneText } from '../../../models/rules/messages/recipient.js';
import { at, ids, type Samples } from './sample.js';

const workspace = {
  id: ids.workspace,
  name: 'Analytical Engines',
  email: 'ada@example.com',
  email_verified: true,
  credits_balance: 100,
  debt: 0,
  spend_limit_day: 250,
  allowed_countries: ['DE', 'US'],
  message_days: 90,
};

const figures = { messages: 1200, delivered: 1180, failed: 20, credits: 1180 };

const erasure = { id: ids.erasure, status: 'running', messages: 0 };

/** Samples of the workspace, its export and erasures. */
export const workspaceSamples: Samples = {
  getWorkspace: { data: { workspace } },
  updateWorkspace: {
    about:
      'Takes effect for every send that begins after the response. The daily limit counts debits from midnight to midnight UTC. Refunds of the same day are subtracted.',
    requests: {
      complete: { spend_limit_day: 250, allowed_countries: ['DE', 'US'], message_days: 90 },
      no_limit: { spend_limit_day: null },
    },
    data: { workspace },
    refusals: [
      errors.invalidField('allowed_countries', errors.faultTexts.countries),
      errors.invalidField('spend_limit_day', 'spend_limit_day must be a number'),
    ],
  },
  getBalance: {
    about: 'The day begins at midnight UTC.',
    data: { balance: 87.5, currency_of_credits: 'usd', spend_today: 12.5, spend_limit_day: 250 },
  },
  getUsage: {
    about:
      'The last 30 days unless `from` and `to` say otherwise; at most 92 days, and at most 200,000 messages. A message counts on the day (UTC) on which it was accepted, with its present status. Messages that were read count as delivered.',
    data: {
      from: '2026-11-21T00:00:00.000Z',
      to: '2026-11-21T23:59:59.999Z',
      by: 'day',
      ...figures,
      usage: [{ day: '2026-11-21', ...figures }],
    },
    refusals: [errors.periodTooLong(92), conflicts.usageTooLarge(200_000)],
  },
  getOverview: {
    about:
      'The last seven days unless `from` and `to` say otherwise; at most 366 days. A period counts in whole hours or days (UTC): by hour up to two days, by day above that, unless `by` says otherwise. A message counts in the hour or day in which it was accepted, with its status of at most a minute ago. Sums by hour are kept for 35 days.',
    data: {
      from: '2026-11-21T00:00:00.000Z',
      to: '2026-11-21T23:59:59.999Z',
      by: 'hour',
      ...figures,
      delivery_p50_ms: 2400,
      delivery_p95_ms: 9600,
      parts: [{ at, channel: 'sms', ...figures }],
      failures: [{ error_code: '30008', description: 'Unknown destination', messages: 20 }],
      balance: 8260,
      days_left: 7,
    },
    refusals: [errors.periodTooLong(366), errors.invalidField('by', 'by=hour is kept for 35 days')],
  },
  exportWorkspace: {
    about:
      'Newline-delimited JSON: one line for the workspace, then one for each API key, webhook (with its deliveries and replays), contact, suppression, batch, message, transaction, audit event and erasure, oldest first. Secrets are not included. The last line is `end` with the number of lines before it; without it the export is incomplete.',
    data: { type: 'workspace', data: workspace },
    refusals: [conflicts.exportRunning()],
  },
  openEventStream: {
    about:
      'Server-sent events, one for each status change of a message of the workspace: `id`, `event: message.sent`, and in `data` the bytes that a webhook would get. A client that connects again with the last `id` in `Last-Event-ID` gets what it missed, for up to an hour. If events may be lost to it, the first event is `stream.reset`. Lines that begin with a colon keep the connection open. An id may come without an event. The stream ends when its credential does. Only its opening counts for the rate limits.',
    data: { event: 'message.sent', timestamp: at, data: { message_id: ids.message, channel: 'sms', status: 'sent' } },
    refusals: [
      errors.invalidField('Last-Event-ID', 'Invalid Last-Event-ID'),
      errors.missingScope('read_messages'),
      errors.suspended(),
      errors.foreignOrigin(),
      conflicts.quotaReached('streams', 20),
    ],
  },
  createErasure: {
    about:
      'Finished messages are erased immediately. Messages not yet handed to a carrier are cancelled and refunded. Messages in progress are erased when they and their events have finished. Ids, statuses, times and prices are kept. Suppressions stay in effect through a digest.',
    requests: { phone: { to: '+15551234567' }, address: { to: 'ada@example.com' } },
    data: { erasure },
    refusals: [errors.invalidField('to', phoneText), errors.invalidField('to', emailText)],
  },
  getErasure: { data: { erasure: { ...erasure, status: 'completed', messages: 12 } } },
};
