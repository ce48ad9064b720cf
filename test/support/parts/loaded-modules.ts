/** Which packages of OpenTelemetry processes load. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export interface LoadedModules {
  /** Settings of the processes whose packages are listed. */
  env: NodeJS.ProcessEnv;
  /** The packages that each thread had loaded when it ended. */
  ofThreads(): string[][];
  remove(): void;
}

export function listLoadedModules(): LoadedModules {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-modules-'));
  const file = join(folder, 'modules');
  return {
    env: { NODE_OPTIONS: `--import=${resolve(import.meta.dirname, '../list-modules.js')}`, MODULES_FILE: file },
    ofThreads: () =>
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
