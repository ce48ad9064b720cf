import { recentCallsRead, type RecentOutcome, recentOutcomes } from '../../../../models/operations/handoff/recent-outcomes.js';
import { readRoutes, type RouteChange, type RouteState } from '../../../../models/operations/handoff/read-routes.js';
import { levelMax } from '../../../../models/rules/routing/route.js';
import { countText } from '../../../../models/rules/values/text.js';
import { aligned } from '../../aligned.js';
import type { Command } from '../../command.js';
import { numberIn } from '../../read-options.js';

const callsTitle = `Hand-off attempts of the last ten minutes (at most ${recentCallsRead.toLocaleString('en-US')}, those of the newest messages):`;
const changesShown = { default: 20, max: 99_999 };

export const routesCommand: Command = {
  name: 'routes',
  takes: [],
  settings: ['DATABASE_URL'],
  options: { changes: { value: 'N', about: `Number of the last changes of health to show (default ${changesShown.default})` } },
  summary:
    'Show the share and the health of each provider account, with the outcomes of recent calls, and the last changes and their reasons.',
  async run(given, { db, config }) {
    const { states, changes } = await readRoutes(db, config.routes, numberIn(given, 'changes', changesShown));
    const recent = await recentOutcomes(db);
    const calls = recent.length === 0 ? [] : ['', callsTitle, ...aligned(recent.map(callsCells))];
    const tail = changes.length === 0 ? ['No change of health so far.'] : ['', ...changes.map(changeLine)];
    return { ok: true, text: [...states.map(lineOf), ...calls, ...tail].join('\n'), data: { accounts: states, recent, changes } };
  },
};

function lineOf({ channel, account, weight, health, share, held_until }: RouteState): string {
  const held = held_until === null ? '' : `  on hold until ${held_until.toISOString()} (throttled)`;
  if (health === null) return `${nameOf(channel, account, weight)}  not judged: the only account of its channel${held}`;
  const percents = `health ${String(health).padStart(3)} %  share ${String(share).padStart(3)} %`;
  return `${nameOf(channel, account, weight)}  ${percents}${held}`;
}

const nameOf = (channel: string, account: string, weight: number) =>
  `${channel.padEnd(9)} ${account.padEnd(20)} weight ${String(weight).padStart(3)}`;

const callsCells = ({ account, outcome, detail, calls }: RecentOutcome) => [
  account,
  countText(calls, 'attempt'),
  `${outcome}${detail === null ? '' : ` (${detail})`}`,
];

const percent = (level: number) => `${(level * 100) / levelMax} %`;

const changeLine = ({ at, account, from_level, to_level, reason }: RouteChange) =>
  `${at.toISOString()}  ${account}: ${percent(from_level)} → ${percent(to_level)}, ${reason}`;
