/** Entry point of `npm run doctor`: checks what an installation needs, and says how to repair it. `--json` prints the findings as JSON. */
import { parseArgs } from 'node:util';
import { connect } from '../../models/db/database.js';
import { type Config, ConfigError, loadConfig } from '../../models/settings/config.js';
import { commandEnvironment } from '../../models/settings/environment.js';
import { type Finding, failed, ok, runChecks } from './check.js';
import { allChecks } from './checks/index.js';
import { exitCodeOf, textOf } from './report.js';

/** Without valid settings nothing else can be checked. */
function checkSettings(): { config?: Readonly<Config>; findings: Finding[] } {
  try {
    const config = loadConfig(commandEnvironment());
    return { config, findings: [ok('settings', 'all are valid')] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { findings: error.faults.map((fault) => failed('settings', fault, 'Correct the setting. docs/settings.md lists them all')) };
  }
}

async function diagnose(): Promise<Finding[]> {
  const { config, findings } = checkSettings();
  if (config === undefined) return findings;
  const db = connect(config.databaseUrl, 2);
  try {
    return [...findings, ...(await runChecks(allChecks, { config, db }))];
  } finally {
    await db.close();
  }
}

const { json, help } = parseArgs({
  options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
}).values;
if (help) process.stdout.write('Usage: npm run doctor -- [--json]\nThe exit code is 1 if a check failed.\n');
else {
  const findings = await diagnose();
  process.stdout.write(json ? `${JSON.stringify({ findings }, null, 2)}\n` : textOf(findings));
  process.exit(exitCodeOf(findings)); // connections of checks that ran out of time may be open
}
