import { type Board, eventsIn, quantile, rate } from './board.js';

export const carriersBoard: Board = {
  name: 'carriers',
  title: 'carriers',
  panels: [
    {
      title: 'Inbox',
      about: 'Age of the oldest report that is not applied.',
      unit: 's',
      redFrom: 180,
      queries: [['max(tidings_report_inbox_oldest_seconds)', '']],
    },
    {
      title: 'Unknown hand-offs',
      about: 'Given up and refunded in the last hour.',
      unit: 'short',
      redFrom: 1,
      queries: [[`round(${eventsIn('1h', 'tidings_handoffs_total{outcome="handoff_unknown"}')}) or vector(0)`, '']],
    },
    {
      title: 'Without report',
      about: 'Share of messages without a delivery report in time. 0 below five of them in six hours.',
      unit: 'percentunit',
      redFrom: 0.05,
      queries: [['max(tidings:reports_missing:ratio_rate6h and tidings:reports_missing:increase6h >= 5) or vector(0)', '']],
    },
    {
      title: 'Calls',
      about: 'Calls to carriers by account and outcome.',
      unit: 'reqps',
      queries: [[rate('tidings_handoffs_total', ['account', 'outcome'], 'outcome!="handoff_unknown"'), '{{account}} {{outcome}}']],
    },
    {
      title: 'Failed calls',
      about: 'Share of throttled, retryable and unknown calls by account.',
      unit: 'percentunit',
      queries: [
        [
          `${rate('tidings_handoffs_total', ['account'], 'outcome=~"retryable|unknown|throttled"')} / ${rate('tidings_handoffs_total', ['account'], 'outcome!="handoff_unknown"')}`,
          '{{account}}',
        ],
      ],
    },
    {
      title: 'Time of a call, p95',
      about: 'By account. A carrier that slows down often fails next.',
      unit: 's',
      queries: [[quantile(0.95, 'tidings_handoff_seconds', ['account']), '{{account}}']],
    },
    {
      title: 'Time to hand-off',
      about: 'Of single messages, from acceptance or scheduled time. Objective: 99 % within 10 s.',
      unit: 's',
      queries: [
        [quantile(0.5, 'tidings_message_handed_off_seconds'), 'p50'],
        [quantile(0.95, 'tidings_message_handed_off_seconds'), 'p95'],
        ['tidings:handed_off_seconds:p99_rate5m', 'p99'],
      ],
    },
    {
      title: 'Time to delivery, p95',
      about: 'By channel.',
      unit: 's',
      queries: [[quantile(0.95, 'tidings_message_delivered_seconds', ['channel']), '{{channel}}']],
    },
    {
      title: 'Delivery reports',
      about: 'By account and result. unmatched: the report matched no message when it arrived.',
      unit: 'eps',
      queries: [
        [rate('tidings_reports_total', ['account', 'status']), '{{account}} {{status}}'],
        ['sum(rate(tidings_reports_unmatched_total[5m]))', 'unmatched'],
      ],
    },
    {
      title: 'Reports without an effect yet',
      about: 'In the inbox, by state.',
      unit: 'short',
      queries: [['max by (state) (tidings_report_inbox)', '{{state}}']],
    },
    {
      title: 'Messages without a report',
      about: 'Per hour, by channel.',
      unit: 'short',
      queries: [[eventsIn('1h', 'tidings_report_waits_total{outcome="missing"}', ['channel']), '{{channel}}']],
    },
  ],
};
