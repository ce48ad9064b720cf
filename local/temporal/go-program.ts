/** Builds a program with Go, from a module pinned in this repository. */
import { execFile } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { formatSeconds } from '../output/output.js';
import type { InstallContext } from './temporal-program.js';

export interface GoProgram {
  /** The name in the console output. */
  name: string;
  /** The folder of the go.mod. */
  moduleDir: string;
  /** The package to build, and its module with version. */
  mainPackage: string;
  module: string;
  /** In addition to the flags that omit debugging symbols. */
  linkerFlags: string;
  /** The expected duration, as text. */
  expectedDuration: string;
}

/** The oldest Go that downloads the newer Go version of a go.mod automatically. */
const oldestGo = 21;
const timeoutMs = 3_600_000;
const probeTimeoutMs = 10_000;

/**
 * Builds the program. The file gets its name `target` only when it is complete.
 * @throws Error when Go is missing or too old, or the modules cannot be downloaded
 */
export async function buildWithGo(program: GoProgram, target: string, { env, logDir, say, run }: InstallContext): Promise<void> {
  await requireGo(env);
  await requireModule(program.module, env);
  say(`building ${program.name} with Go: takes about ${program.expectedDuration} (only once)`);
  const startedAt = performance.now();
  mkdirSync(dirname(target), { recursive: true });
  const building = `${target}.${process.pid}.building`;
  try {
    const command = {
      name: 'go build',
      command: 'go',
      args: ['build', '-trimpath', '-ldflags', `-s -w ${program.linkerFlags}`.trim(), '-o', building, program.mainPackage],
      cwd: program.moduleDir,
      env: { ...env, CGO_ENABLED: '0', GOWORK: 'off' },
      log: join(logDir, 'temporal-build.log'),
      stop: [], // the build needs no graceful stop; its process group is killed
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

/**
 * Checks the module first, because the build would retry for minutes without a network. It runs outside a module, so that only this version is
 * looked up.
 */
async function requireModule(module: string, env: NodeJS.ProcessEnv): Promise<void> {
  await promisify(execFile)('go', ['list', '-m', module], { env, cwd: '/', timeout: probeTimeoutMs }).catch(
    (error: { stderr?: string }) => {
      throw new Error(`the Go modules are out of reach (${error.stderr?.trim() || 'no answer'})`);
    },
  );
}
