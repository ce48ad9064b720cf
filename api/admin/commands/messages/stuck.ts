import { explainDatabaseError } from '../../../../models/db/explain-database-error.js';
import { readServiceGauges } from '../../../../models/operations/watch/read-service-gauges.js';
import type { GaugeReading } from '../../../../models/metrics/catalogue.js';
import { makeDue } from '../../../../models/operations/watch/due-groups.js';
import { type OpenMessage, openMessages } from '../../../../models/operations/watch/open-messages.js';
import { seenWorkers } from '../../../../models/operations/watch/worker-heartbeats.js';
import { countText } from '../../../../models/rules/values/text.js';
import { aligned } from '../../aligned.js';
import type { Command } from '../../command.js';
import { numberIn } from '../../read-options.js';

const olderThan = { default: 300, max: 31_536_000 };
const limits = { default: 100, max: 10_000 };

export const stuckCommand: Command = {
  name: 'stuck',
  takes: [],
  settings: ['DATABASE_URL'],
  options: {
    'older-than': { value: 'SECONDS', about: `Only messages accepted or due at least this long ago (default ${olderThan.default})` },
    limit: { value: 'N', about: `Maximum number of messages (default ${limits.default}); those marked with ! come first` },
    retry: { about: 'Let the watcher look at those marked with ! in its next run, within 30 seconds' },
  },
  summary: 'Show the oldest messages that have not ended, with the reason and their age. Fails if one should not wait (marked with !).',
  async run(given, { db, config }) {
    const [olderThanSeconds, limit] = [numberIn(given, 'older-than', olderThan), numberIn(given, 'limit', limits)];
    const { messages, hasMore } = await openMessages(db, config, { olderThanSeconds, limit });
    const stuck = messages.filter((message) => message.stuck);
    const retried = given.values.retry === true ? await makeDue(db, [...new Set(stuck.map(({ group_id }) => group_id))]) : null;
    const isWatched = retried === null || (await seenWorkers(db)).alive > 0;
    const read = await readServiceGauges(db).catch((error: Error) => ({ unread: explainDatabaseError(error) }));
    const other = read !== undefined && 'found' in read ? otherWork(read.found) : {};
    const counted = hasMore ? `The first ${countText(messages.length, 'message')} (--limit)` : countText(messages.length, 'message');
    const lines = [
      ...aligned(messages.map(cellsOf)),
      `${counted} not ended ${olderThanSeconds} s after the due time, ${stuck.length} of them stuck.${hasMore ? ' There are more.' : ''}`,
      ...(retried === null ? [] : [retriedText(retried, isWatched)]),
      ...(read !== undefined && 'unread' in read ? [`Other waiting work could not be read: ${read.unread}.`] : []),
      ...Object.entries(other).map(([what, value]) => `${what.replaceAll('_', ' ')}: ${value}`),
    ];
    const data = { messages, limit, has_more: hasMore, stuck: stuck.length, retried, ...other };
    return { ok: stuck.length === 0, isReport: true, text: lines.join('\n'), data };
  },
};

const retriedText = (groups: number, isWatched: boolean) =>
  isWatched
    ? `The watcher checks ${countText(groups, 'group')} within 30 s.`
    : `The watcher checks ${countText(groups, 'group')} when a worker runs: no worker is alive now.`;

function cellsOf({ message_id, workspace_id, channel, status, age_seconds, last_detail, waiting, stuck }: OpenMessage): string[] {
  const why = waiting === null ? 'Undecided: not charged; the watcher removes it' : waiting.text;
  const last = last_detail === null ? '' : ` (last call: ${last_detail})`;
  const until = waiting?.until ? ` (until ${waiting.until.toISOString()})` : '';
  const facts = [`workspace ${workspace_id}`, `${channel} ${status}`, ageOf(age_seconds)];
  return [`${stuck ? '!' : ' '} ${message_id}`, ...facts, `${why}${last}${until}`];
}

function ageOf(seconds: number): string {
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** What else waits in the service, as the metrics show it. */
function otherWork(found: GaugeReading): Record<string, number> {
  const { inbox_waiting, inbox_seconds, groups_overdue, deliveries_overdue_seconds, batches_open, mails_unsent } = found;
  return {
    reports_in_the_inbox: inbox_waiting,
    oldest_report_in_the_inbox_seconds: Math.floor(inbox_seconds ?? 0),
    groups_overdue_for_the_watcher: groups_overdue,
    oldest_overdue_delivery_seconds: Math.floor(deliveries_overdue_seconds ?? 0),
    open_batches: batches_open,
    unsent_mails: mails_unsent,
  };
}
