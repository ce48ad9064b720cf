/** For operators: the present share of each account, and the reason. Entry point: `node dist/models/show-routes.js [--changes <count>]`. */
import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from './settings/config.js';
import { commandEnvironment } from './settings/environment.js';
import { connect } from './db/database.js';
import { readRoutes, type RouteChange, type RouteState } from './operations/handoff/read-routes.js';
import { levelMax } from './rules/routing/route.js';

const changesDefault = '20';

function lineOf({ channel, account, weight, health, share, held_until }: RouteState): string {
  const held = held_until === null ? '' : `  left alone until ${held_until.toISOString()}, as it asked`;
  return `${channel.padEnd(9)} ${account.padEnd(20)} weight ${String(weight).padStart(3)}  health ${String(health).padStart(3)} %  share ${String(share).padStart(3)} %${held}\n`;
}

const percent = (level: number) => `${(level * 100) / levelMax} %`;

const changeLine = ({ at, account, from_level, to_level, reason }: RouteChange) =>
  `${at.toISOString()}  ${account}: ${percent(from_level)} → ${percent(to_level)}, ${reason}\n`;

try {
  const { changes: count } = parseArgs({ options: { changes: { type: 'string', default: changesDefault } } }).values;
  if (!/^\d{1,5}$/.test(count)) throw new Error('--changes must be a number');
  const config = loadConfig(commandEnvironment(), ['DATABASE_URL']);
  const db = connect(config.databaseUrl, 2);
  const { states, changes } = await readRoutes(db, config.routes, Number(count));
  await db.close();
  process.stdout.write(
    [...states.map(lineOf), changes.length === 0 ? 'No change of health so far.\n' : '\n', ...changes.map(changeLine)].join(''),
  );
} catch (error) {
  process.stderr.write(error instanceof ConfigError ? `${error.message}\n` : `Failed: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
