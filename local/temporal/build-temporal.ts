/** Builds the Temporal server program with go, from the module pinned in local/temporal. */
import { resolve } from 'node:path';
import { buildWithGo, type GoProgram } from './go-program.js';
import { type Surroundings, temporalVersion } from './temporal-program.js';

const program: GoProgram = {
  name: `Temporal ${temporalVersion}`,
  // Not compiled: read from the source folder, beside dist/.
  moduleDir: resolve(import.meta.dirname, '../../../local/temporal'),
  mainPackage: 'github.com/temporalio/cli/cmd/temporal',
  module: `github.com/temporalio/cli@v${temporalVersion}`,
  linkerFlags: `-X github.com/temporalio/cli/internal/temporalcli.Version=${temporalVersion}`,
  lasts: '5 minutes',
};

/**
 * Builds the program. It appears at `target` only when complete.
 * @throws Error when go is missing, too old, or cannot reach the modules
 */
export const buildTemporal = (target: string, surroundings: Surroundings): Promise<void> => buildWithGo(program, target, surroundings);
