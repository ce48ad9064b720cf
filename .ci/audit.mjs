// Fails when a dependency of the program has a known vulnerability of high or critical severity. Without a network, or with a
// registry that has no audit endpoint, it prints a notice and succeeds, because the audit needs data that is not in this repository.
import { spawnSync } from 'node:child_process';

const { stdout, error } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8', timeout: 60_000 });
let report;
try {
  report = JSON.parse(stdout ?? '');
} catch {
  report = { error: { summary: error?.message ?? 'no answer' } };
}
const counts = report.metadata?.vulnerabilities;
if (counts === undefined) {
  process.stdout.write(`The registry gave no audit: ${report.error?.summary ?? report.message ?? 'unknown answer'}\n`);
} else {
  const severe = Object.values(report.vulnerabilities ?? {}).filter(({ severity }) => severity === 'high' || severity === 'critical');
  for (const { name, severity, range } of severe) process.stdout.write(`${severity}: ${name} ${range}\n`);
  process.stdout.write(`${counts.total} known vulnerabilities, ${severe.length} of them high or critical\n`);
  process.exitCode = severe.length === 0 ? 0 : 1;
}
