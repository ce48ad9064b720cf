import { type ReportFilter, replayReports } from '../../../models/operations/reports/replay-reports.js';
import { countText, isUuid } from '../../../models/rules/values/text.js';
import { connectTemporal } from '../../outside/temporal.js';
import { type Command, type ParsedArguments, type CommandContext, textIn, UsageError } from '../command.js';
import { momentIn } from '../read-options.js';

export const replayReportsCommand: Command = {
  name: 'replay-reports',
  takes: [],
  settings: ['DATABASE_URL', 'TEMPORAL_ADDRESS'],
  options: {
    provider: { value: 'NAME', about: 'Only reports of this provider account' },
    message: { value: 'ID', about: 'Only reports of this message' },
    since: { value: 'TIME', about: 'Only reports that were received at or after this time' },
    until: { value: 'TIME', about: 'Only reports that were received before this time' },
    unmatched: { about: 'Only reports that match no message' },
  },
  summary: 'Apply stored delivery reports again, for example after a fault in their processing was corrected.',
  async run(given, context) {
    const { reports, unmatched } = await replayAll(filterFrom(given), context);
    const text = `Applied ${countText(reports, 'report')} again, ${unmatched} of them without a matching message.`;
    return { ok: true, text, data: { reports, unmatched } };
  },
};

function filterFrom(given: ParsedArguments): ReportFilter {
  const messageId = textIn(given, 'message');
  if (messageId !== undefined && !isUuid(messageId)) throw new UsageError('--message must be the id of a message');
  return {
    provider: textIn(given, 'provider'),
    messageId,
    since: momentIn(given, 'since'),
    until: momentIn(given, 'until'),
    unmatched: given.values.unmatched === true,
  };
}

/** Replays the reports page by page. If a workflow cannot be signalled now, the watcher does it later. */
async function replayAll(filter: ReportFilter, { db, config }: CommandContext): Promise<{ reports: number; unmatched: number }> {
  const temporal = connectTemporal(config);
  const sum = { reports: 0, unmatched: 0 };
  try {
    for (let last: string | null = null, isFirst = true; isFirst || last !== null; isFirst = false) {
      const page = await replayReports(db, filter, last);
      await Promise.allSettled(page.wakes.map((wake) => temporal.wake(wake)));
      sum.reports += page.reports;
      sum.unmatched += page.unmatched;
      last = page.last;
    }
  } finally {
    await temporal.close().catch(() => undefined);
  }
  return sum;
}
