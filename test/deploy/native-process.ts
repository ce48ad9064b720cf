/** Runs a service of docker-compose.yml as a plain process: its command and its environment, other addresses. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardedFolder } from '../../harness/stage/guarded-folder.js';
import { identify } from '../../local/processes/process-identity.js';
import { forBriefProcess } from '../support/parts/child.js';
import { composeWith, environmentOf } from './compose-file.js';
import { root } from './project.js';

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  output: string;
  seconds: number;
}

/** The processes end with the test run, also when it is killed. */
const { record } = guardedFolder('native');

export class NativeProcess {
  readonly #child: ChildProcess;
  readonly ended: Promise<Ended>;
  #output = '';

  /**
   * @param dotEnv what stands in `.env`
   * @param addresses what containers find by name and processes do not
   */
  constructor(service: string, dotEnv: NodeJS.ProcessEnv, addresses: NodeJS.ProcessEnv) {
    const { command = [], ...described } = composeWith(dotEnv).services[service] ?? {};
    const [, ...args] = command;
    const started = performance.now();
    // Nothing of the test's own environment gets in, as in a container.
    const env = { ...environmentOf(described), ...addresses, NODE_ENV: 'production' };
    this.#child = spawn(process.execPath, [...forBriefProcess, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const identity = identify(this.#child.pid ?? 0);
    if (identity !== undefined) record.add({ ...identity, name: service, stop: [{ signal: 'SIGTERM', waitMs: 5_000 }] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.on('data', (chunk: Buffer) => (this.#output += chunk));
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (code, signal) => {
        if (identity !== undefined) record.remove(identity.pid);
        resolve({ code, signal, output: this.#output, seconds: (performance.now() - started) / 1000 });
      });
    });
  }

  get output(): string {
    return this.#output;
  }

  /** As `docker stop` does. */
  async stop(graceMs: number): Promise<Ended> {
    this.#child.kill('SIGTERM');
    const killer = setTimeout(() => this.#child.kill('SIGKILL'), graceMs);
    const ended = await this.ended;
    clearTimeout(killer);
    return ended;
  }
}

/** Asks again until the answer is there. @throws Error with the last reason when it takes too long */
export async function eventually<T>(ask: () => Promise<T>, timeoutMs: number): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(100);
    }
  }
}
