/** Builds the Temporal server with Go, from the module pinned in local/temporal. */
import { resolve } from 'node:path';
import { buildWithGo, type GoProgram } from './go-program.js';
import { type InstallContext, temporalVersion } from './temporal-program.js';

const program: GoProgram = {
  name: `Temporal ${temporalVersion}`,
  // The go.mod is not compiled, so it is read from the source folder beside dist/.
  moduleDir: resolve(import.meta.dirname, '../../../local/temporal'),
  mainPackage: 'github.com/temporalio/cli/cmd/temporal',
  module: `github.com/temporalio/cli@v${temporalVersion}`,
  linkerFlags: `-X github.com/temporalio/cli/internal/temporalcli.Version=${temporalVersion}`,
  expectedDuration: '5 minutes',
};

/**
 * Builds the program. The file gets its name `target` only when it is complete.
 * @throws Error when Go is missing or too old, or the modules cannot be downloaded
 */
export const buildTemporal = (target: string, context: InstallContext): Promise<void> => buildWithGo(program, target, context);
