/** Messages and spending over the period, by channel, with a table behind each chart. */
import { numberText } from '../../parts/count.js';
import { Chart, type Line } from '../../parts/chart.js';
import { channels } from '../../parts/channels.js';
import { type Column, PlainTable } from '../../parts/table.js';
import type { OverviewData } from './overview-data.js';

type Part = OverviewData['parts'][number];
type Measure = 'messages' | 'credits';

const stepMs = { hour: 3_600_000, day: 86_400_000 } as const;

export function Charts({ overview }: { overview: OverviewData }) {
  return (
    <>
      <ChartOf title="Messages by channel" measure="messages" overview={overview} />
      <ChartOf title="Credits by channel" measure="credits" overview={overview} />
    </>
  );
}

function ChartOf({ title, measure, overview }: { title: string; measure: Measure; overview: OverviewData }) {
  const times = timesOf(overview);
  const used = channels.filter((channel) => overview.parts.some((part) => part.channel === channel));
  const valueAt = new Map(overview.parts.map((part) => [`${Date.parse(part.at)} ${part.channel}`, part[measure]]));
  const lines: Line[] = used.map((channel) => ({ name: channel, values: times.map((time) => valueAt.get(`${time} ${channel}`) ?? 0) }));
  return (
    <section>
      <h2>{title}</h2>
      <Chart title={title} times={times} lines={lines} isUtc={overview.by === 'day'} />
      <details>
        <summary>{`${title}, as a table`}</summary>
        <PlainTable
          caption={`${title}: the values`}
          columns={columnsOf(overview.by, measure)}
          rows={overview.parts}
          keyOf={({ at, channel }) => at + channel}
        />
      </details>
    </section>
  );
}

/** Every hour or day of the period, also those without messages. */
function timesOf({ from, to, by }: OverviewData): number[] {
  const times: number[] = [];
  for (let time = Date.parse(from); time <= Date.parse(to); time += stepMs[by]) times.push(time);
  return times;
}

const columnsOf = (by: OverviewData['by'], measure: Measure): Column<Part>[] => [
  { title: by === 'day' ? 'Day (UTC)' : 'Hour (UTC)', cell: ({ at }) => at.slice(0, by === 'day' ? 10 : 16).replace('T', ' ') },
  { title: 'Channel', cell: ({ channel }) => channel },
  ...(measure === 'credits'
    ? [{ title: 'Credits', cell: ({ credits }: Part) => numberText(credits), isNumber: true }]
    : (['messages', 'delivered', 'failed'] as const).map((name) => ({
        title: name[0]?.toUpperCase() + name.slice(1),
        cell: (part: Part) => numberText(part[name]),
        isNumber: true,
      }))),
];
