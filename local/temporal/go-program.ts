/** Builds a program with go, from a module pinned in this repository. */
import { execFile } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { formatSeconds } from '../processes/output.js';
import type { Surroundings } from './temporal-program.js';

export interface GoProgram {
  /** as the console names it */
  name: string;
  /** folder of the go.mod that pins it */
  moduleDir: string;
  /** the package to build, and the module with its version in which it is */
  mainPackage: string;
  module: string;
  /** beside those that leave debugging symbols out */
  linkerFlags: string;
  /** how long it takes, in words */
  lasts: string;
}

/** The first go that fetches by itself the newer go which go.mod asks for. */
const oldestGo = 21;
const timeoutMs = 3_600_000;
const probeTimeoutMs = 10_000;

/**
 * Builds the program. It appears at `target` only when complete.
 * @throws Error when go is missing, too old, or cannot reach the modules
 */
export async function buildWithGo(program: GoProgram, target: string, { env, logDir, say, run }: Surroundings): Promise<void> {
  await requireGo(env);
  await requireModule(program.module, env);
  say(`${program.name} is built with go now: about ${program.lasts}, only this once`);
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
async function requireModule(module: string, env: NodeJS.ProcessEnv): Promise<void> {
  await promisify(execFile)('go', ['list', '-m', module], { env, cwd: '/', timeout: probeTimeoutMs }).catch(
    (error: { stderr?: string }) => {
      throw new Error(`the Go modules are out of reach (${error.stderr?.trim() || 'no answer'})`);
    },
  );
}
