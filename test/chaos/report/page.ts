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

This page shows what has been done to break Tidings, and what came of it. It is written by \`npm run chaos:report\` from the results of
\`npm run chaos\`; do not edit it by hand.

One run of the battery starts two API processes, two workers, a Temporal server, PostgreSQL and Redis, each a process of its own, with fault
proxies between them. Clients of several workspaces send single messages, groups and batches. They pause, resume and cancel batches, use
schedules, expiry and fallbacks, repeat requests under one idempotency key, switch webhooks off and on, ask for replays, and run out of credits.
Carriers speak the protocols of real ones and take no idempotency key where the real one takes none. Meanwhile parts are killed, stopped and cut
off. The seed of a run decides its load, its faults and their times.

One observer process records everything that can be seen from outside: requests and answers, calls to carriers, reports, deliveries to
webhooks, faults. When all has settled, an oracle compares that history with the database. It knows nothing of the code; its rules come from
the API contract.`;

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
    `To repeat one: \`npm run chaos -- --seed ${seeds[0] ?? 1}\`. A run that fails leaves its commit, seed, history, database content and logs.`,
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
    ['of these without an answer', total(({ unanswered }) => unanswered)],
    ['of these answered 500 while the database was disturbed', total(({ uncertainRefusals }) => uncertainRefusals)],
    ['messages accepted', total(({ messages }) => messages)],
    ['messages that a carrier took', total(({ taken }) => taken)],
    [
      'taken twice although the carrier denied that it has the message, after its answer was lost',
      total(({ lawfulDoubles }) => lawfulDoubles),
    ],
    ['failed as `handoff_unknown`: the answer was lost, and no report came in time', total(({ handoffUnknown }) => handoffUnknown)],
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
    '## The oracle is tested, too',
    '',
    `A simulated service that makes no mistake is judged without a finding. Into its histories and books ${planted} faults are planted, one at a time:`,
    'a message is lost, a charge is doubled, an event is out of order, and so on.',
    `The oracle notices ${planted - unnoticed.length} of ${planted}. Each rule is needed: without it at least one of these faults goes unnoticed.`,
    ...unnoticed.map((name) => `- not noticed: ${name}`),
  ].join('\n');

const interleavings = ({ interleavings: figures }: Figures) =>
  [
    '## Interleavings',
    '',
    'Two to four database operations run at once on real PostgreSQL, one statement at a time; a seed chooses which goes next.',
    figures === null
      ? 'No figures were given to this page.'
      : `${number(figures.schedules)} schedules were run; ${number(figures.violations)} broke an invariant.`,
  ].join('\n');

const notShown = `## What is not shown

- **Power loss.** Processes are killed, and the disk fills, but the machine stays on: what the operating system has taken is written. That
  \`fsync\` keeps its word is PostgreSQL's and the disk's part.
- **Several machines.** All parts run on one. Temporal is one server, not a cluster; PostgreSQL has no standby, so no failover is tried here.
- **Real carriers.** The counterparts follow the carriers' documentation. A carrier that takes a message and never reports it, or loses it after it
  said yes, cannot be detected from outside.
- **The clock of PostgreSQL.** Clocks of workers are shifted. PostgreSQL's clock decides what is due, and is taken for right.
- **Corrupted data.** No bits are flipped on disk, in memory or on the network.
- **Size and time.** A run has hundreds of messages and lasts minutes. See [performance](performance.md) and [scaling](scaling.md) for load;
  time-outs of hours and days are shortened here.
- **The rate of a batch.** The oracle does not check that a paced batch keeps its \`rate\` under faults.
- **Attackers.** Forged reports are tried, nothing else.
- **Proof.** Runs find defects; they do not prove that there are none. A 500 while the database is disturbed counts as "nobody knows": the oracle
  then accepts that the message exists once or not at all.`;
