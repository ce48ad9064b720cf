/** Runs the command `tidings` as a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const script = resolve(import.meta.dirname, '../../clients/typescript/command/tidings.js');

export interface Running {
  process: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  /** Resolves with the exit code when its output is complete. */
  ended: Promise<number | null>;
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the command with this environment. @param input what it reads from standard input */
export function startCommand(args: readonly string[], env: NodeJS.ProcessEnv, input = ''): Running {
  const { PATH, NODE_V8_COVERAGE } = process.env;
  const child = spawn(process.execPath, [script, ...args], { env: { PATH, NODE_V8_COVERAGE, ...env }, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  child.stdin.on('error', () => undefined); // it did not read
  child.stdin.end(input);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { process: child, stdout: () => stdout, stderr: () => stderr, ended };
}

/** Runs it to its end. */
export async function runCommand(args: readonly string[], env: NodeJS.ProcessEnv, input?: string): Promise<Ended> {
  const running = startCommand(args, env, input);
  const code = await running.ended;
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}
