/** When the support of each long-term version of Node ends, see https://github.com/nodejs/Release. */
const supportedUntil: Readonly<Record<string, string>> = { 20: '2026-04-30', 22: '2027-04-30', 24: '2028-04-30', 26: '2029-04-30' };

/**
 * Warns the operator if this process runs on a version of Node without security updates. The API, the worker and the launcher call it once.
 * @param report shows or logs the sentence
 */
export function reportOutdatedRuntime(report: (line: string) => void): void {
  const line = outdatedRuntime(process.version);
  if (line !== undefined) report(line);
}

/**
 * @param version as in `process.version`
 * @returns a sentence; undefined while the version gets security updates
 */
export function outdatedRuntime(version: string, now = new Date()): string | undefined {
  const [major = ''] = version.slice(1).split('.');
  const until = supportedUntil[major];
  if (until !== undefined && now < new Date(`${until}T23:59:59Z`)) return undefined;
  const why = until === undefined ? 'is not a long-term support (LTS) version' : `got its last security update on ${until}`;
  return `Node ${version.slice(1)} ${why}: use Node 24`;
}
