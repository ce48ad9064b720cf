/** docs/reliability.md: the results of many runs in figures, and what they do not show. Pure: figures in, text out. */
import type { Rule } from '../oracle/rule.js';
import type { Summary } from '../summary.js';

export interface Machine {
  cores: number;
  model: string;
  memoryMb: number;
  node: string;
}

export interface Mutants {
  planted: number;
  /** The names of those that the oracle did not notice. */
  unnoticed: string[];
}

/** The result of `npm run interleave`; null if it has not run. */
export interface Interleavings {
  schedules: number;
  violations: number;
}

export interface Figures {
  summaries: readonly Summary[];
  rules: readonly Pick<Rule, 'name' | 'promise'>[];
  /** Every nemesis of the battery, including those that no run had. */
  nemeses: readonly string[];
  mutants: Mutants;
  interleavings: Interleavings | null;
  machine: Machine;
}

/** Replaces every figure of a page without runs. */
const placeholder = '…';

const number = (value: number) => value.toLocaleString('en-US');
/** The formatted sum over all runs. */
const sumOf = (summaries: readonly Summary[], value: (summary: Summary) => number): string =>
  summaries.length === 0 ? placeholder : number(summaries.reduce((sum, each) => sum + value(each), 0));
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** The whole page. Without runs, it has placeholders instead of figures. */
export function pageOf(figures: Figures): string {
  const { summaries } = figures;
  return [
    introduction,
    shown(figures),
    results(summaries),
    faults(figures),
    promises(figures),
    mutants(figures),
    interleavings(figures),
    notShown,
  ]
    .join('\n\n')
    .concat('\n');
}

const introduction = `# Reliability

This page shows which faults Tidings was tested with, and the results. \`npm run chaos:report\` writes it from the results of
\`npm run chaos\`; do not edit it by hand.

Each run starts two API processes, two workers, a Temporal server, PostgreSQL and Redis as separate processes, with fault proxies between
them. Clients of several workspaces send single messages, groups and batches. They pause, resume and cancel batches, cancel single messages
of them, use schedules, expiry (also in paused batches) and fallbacks, repeat requests under one idempotency key, suppress and erase recipients,
switch webhooks off and on, ask for replays and resends, and run out of credits. Some recipients write STOP.
Simulated carriers use the protocols of real ones, and support idempotency keys only where the real carrier does. Meanwhile processes are
killed or stopped, and connections are cut. The seed of a run determines its load, its faults and their times.

An observer process records everything that can be seen from outside: requests and responses, calls to carriers, reports, deliveries to
webhooks, faults. At the end of a run, when nothing is in progress any more, an oracle compares this history with the database. The oracle
shares no code with the service; its rules come from the API contract.`;

function shown({ summaries, machine }: Figures): string {
  const commits = [...new Set(summaries.map(({ commit }) => commit))];
  const seeds = summaries.map(({ seed }) => seed);
  return [
    '## The runs',
    '',
    '```',
    `commit      ${commits.join(', ') || placeholder}`,
    `machine     ${machine.cores} cores ${machine.model}, ${number(machine.memoryMb)} MB, Node ${machine.node}`,
    `seeds       ${ranges(seeds) || placeholder}`,
    `runs        ${sumOf(summaries, () => 1)}, of which ${sumOf(summaries, ({ verdict }) => (verdict === 'passed' ? 1 : 0))} broke no promise`,
    `load        ${sumOf(summaries, ({ minutes }) => minutes)} minutes`,
    '```',
    '',
    `To repeat a run: \`npm run chaos -- --seed ${seeds[0] ?? 1}\`. A run that fails keeps its commit, seed, history, database content and logs.`,
  ].join('\n');
}

/** 1, 2, 3, 7 → 1–3, 7 */
function ranges(numbers: readonly number[]): string {
  const groups: [number, number][] = [];
  for (const each of numbers.toSorted((one, other) => one - other)) {
    const last = groups.at(-1);
    if (last !== undefined && each <= last[1] + 1) last[1] = each;
    else groups.push([each, each]);
  }
  return groups.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}

function results(summaries: readonly Summary[]): string {
  const total = (value: (figures: Summary['figures']) => number) => sumOf(summaries, ({ figures }) => value(figures));
  const rows = [
    ['requests of clients', total(({ calls }) => calls)],
    ['of these without a response', total(({ unanswered }) => unanswered)],
    ['of these with a 500 while the database was disturbed', total(({ uncertainRefusals }) => uncertainRefusals)],
    ['messages accepted', total(({ messages }) => messages)],
    ['messages that a carrier accepted', total(({ taken }) => taken)],
    [
      'accepted twice, because the first response was lost and the carrier then denied that it has the message',
      total(({ lawfulDoubles }) => lawfulDoubles),
    ],
    ['failed as `handoff_unknown`: the response was lost, and no report came in time', total(({ handoffUnknown }) => handoffUnknown)],
    ['delivery reports posted', total(({ reports }) => reports)],
    ['requests that webhooks received', total(({ arrivals }) => arrivals)],
    ['ledger entries', total(({ entries }) => entries)],
  ];
  return ['## What happened', '', table(['', 'number'], rows)].join('\n');
}

function faults({ summaries, nemeses }: Figures): string {
  const names = [...new Set([...nemeses, ...summaries.flatMap((summary) => Object.keys(summary.nemeses))])];
  const rows = names.map((name) => [
    `\`${name}\``,
    sumOf(summaries, (summary) => summary.nemeses[name] ?? 0),
    sumOf(summaries, (summary) => ((summary.nemeses[name] ?? 0) > 0 ? 1 : 0)),
  ]);
  const impossible = [...new Set(summaries.flatMap((summary) => summary.impossible))];
  const text = impossible.length === 0 ? [] : ['', `Not possible on this machine: ${impossible.map((name) => `\`${name}\``).join(', ')}.`];
  return ['## Faults', '', table(['fault', 'times', 'runs'], rows), ...text].join('\n');
}

function promises({ summaries, rules }: Figures): string {
  const others = Object.keys(Object.assign({}, ...summaries.map(({ violations }) => violations))).filter(
    (name) => !rules.some((rule) => rule.name === name),
  );
  const broken = (name: string) => sumOf(summaries, ({ violations }) => violations[name] ?? 0);
  const rows = [
    ...rules.map(({ name, promise }) => [`\`${name}\``, promise, broken(name)]),
    ...others.map((name) => [`\`${name}\``, 'The battery itself reports it.', broken(name)]),
  ];
  return ['## Promises', '', table(['rule', 'promise', 'broken'], rows)].join('\n');
}

const mutants = ({ mutants: { planted, unnoticed } }: Figures) =>
  [
    '## The oracle is tested too',
    '',
    'The oracle finds nothing when it judges a simulated service that makes no mistake. Then faults are planted in the history and the database of',
    `this service, ${planted} in all, one at a time: a message is lost, a charge is doubled, an event is out of order, and so on.`,
    `The oracle notices ${planted - unnoticed.length} of ${planted}. Each rule is needed: without it, at least one of these faults is not noticed.`,
    ...unnoticed.map((name) => `- not noticed: ${name}`),
  ].join('\n');

const interleavings = ({ interleavings: figures }: Figures) =>
  [
    '## Interleavings',
    '',
    'Two to four database operations run at the same time on a real PostgreSQL, one statement at a time. A seed determines which one continues.',
    figures === null
      ? 'No figures were given to this page.'
      : `${number(figures.schedules)} schedules were run; ${number(figures.violations)} broke an invariant.`,
  ].join('\n');

const notShown = `## What is not shown

- **Power loss.** Processes are killed and the disk fills, but the machine stays on, so the operating system still writes what processes gave
  to it. Durability after a power loss depends on \`fsync\` in PostgreSQL and on the disk.
- **Several machines.** All processes run on one machine. Temporal is one server, not a cluster. PostgreSQL has no standby, so no failover is
  tested.
- **Real carriers.** The simulated carriers follow the documentation of the real ones. If a carrier accepts a message and then loses it or
  never reports on it, nobody can detect that from outside.
- **The clock of PostgreSQL.** The clocks of workers are shifted. PostgreSQL's clock decides what is due, and is assumed to be correct.
- **Corrupted data.** No bits are flipped on disk, in memory or on the network.
- **Size and time.** A run has hundreds of messages and lasts minutes. See [performance](performance.md) and [scaling](scaling.md) for load;
  timeouts of hours and days are shortened in these runs.
- **The rate of a batch.** The oracle does not check that a paced batch keeps its \`rate\` under faults.
- **Attackers.** Forged reports are the only attack that is tried.
- **Proof.** Runs find defects; they do not prove that there are none. After a 500 while the database is disturbed, the client does not know
  the outcome: the oracle then accepts that the message exists once or not at all.`;
