/** Builds the Temporal server program with go, from the module pinned in local/temporal. */
import { execFile } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { formatSeconds } from './output.js';
import { type Surroundings, temporalVersion } from './temporal-program.js';

// Not compiled: read from the source folder, beside dist/.
const moduleDir = resolve(import.meta.dirname, '../../local/temporal');
const mainPackage = 'github.com/temporalio/cli/cmd/temporal';
const versionVariable = 'github.com/temporalio/cli/internal/temporalcli.Version';
/** The first go that fetches by itself the newer go which go.mod asks for. */
const oldestGo = 21;
const timeoutMs = 3_600_000;
const probeTimeoutMs = 10_000;

/**
 * Builds the program. It appears at `target` only when complete.
 * @throws Error when go is missing, too old, or cannot reach the modules
 */
export async function buildTemporal(target: string, { env, logDir, say, run }: Surroundings): Promise<void> {
  await requireGo(env);
  await requireModules(env);
  say(`Temporal ${temporalVersion} is built with go now: about 5 minutes, only this once`);
  const startedAt = performance.now();
  mkdirSync(dirname(target), { recursive: true });
  const building = `${target}.${process.pid}.building`;
  const linkerFlags = `-s -w -X ${versionVariable}=${temporalVersion}`;
  try {
    const command = {
      name: 'go build',
      command: 'go',
      args: ['build', '-trimpath', '-ldflags', linkerFlags, '-o', building, mainPackage],
      cwd: moduleDir,
      env: { ...env, CGO_ENABLED: '0', GOWORK: 'off' },
      log: join(logDir, 'temporal-build.log'),
      stop: [], // it has nothing to put in order, but children: its group is killed at once
    };
    await run(command, timeoutMs);
    renameSync(building, target);
  } finally {
    rmSync(building, { force: true });
  }
  say(`${target} built in ${formatSeconds(performance.now() - startedAt)}`);
}

async function requireGo(env: NodeJS.ProcessEnv): Promise<void> {
  const { stdout } = await promisify(execFile)('go', ['version'], { env, timeout: probeTimeoutMs }).catch(() => {
    throw new Error('go is not on PATH');
  });
  const minor = Number(/go1\.(\d+)/.exec(stdout)?.[1]);
  if (!(minor >= oldestGo)) throw new Error(`${stdout.trim()} is too old`);
}

/** The build itself would try for minutes where the network is closed. Outside a module, so that only this version is looked up. */
async function requireModules(env: NodeJS.ProcessEnv): Promise<void> {
  const [module] = mainPackage.split('/cmd/');
  const query = ['list', '-m', `${module}@v${temporalVersion}`];
  await promisify(execFile)('go', query, { env, cwd: '/', timeout: probeTimeoutMs }).catch((error: { stderr?: string }) => {
    throw new Error(`the Go modules are out of reach (${error.stderr?.trim() || 'no answer'})`);
  });
}
