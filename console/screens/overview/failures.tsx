/** Failures of the period by their reason. */
import { to } from '../../api/base.js';
import { numberText } from '../../parts/count.js';
import { type Column, PlainTable } from '../../parts/table.js';
import type { OverviewData } from './overview-data.js';

type Failure = OverviewData['failures'][number];

export function Failures({ overview: { failures, failed, from, to: until } }: { overview: OverviewData }) {
  const columns: Column<Failure>[] = [
    { title: 'Reason', cell: ({ description }) => description },
    { title: 'Code', cell: ({ error_code: code }) => <code>{code}</code> },
    { title: 'Messages', cell: ({ messages }) => numberText(messages), isNumber: true },
    { title: 'Share', cell: ({ messages }) => `${Math.round((messages / Math.max(failed, 1)) * 100)} %`, isNumber: true },
  ];
  return (
    <section aria-labelledby="failures">
      <h2 id="failures">Failures by reason</h2>
      <PlainTable caption="Failures by reason: the values" columns={columns} rows={failures} keyOf={({ error_code: code }) => code} />
      <p>
        <a href={to('messages', { status: 'failed', start_date: from, end_date: until })}>Show the failed messages</a>
      </p>
    </section>
  );
}
