/** A process of the stage that nemeses can kill, stop, freeze and start again. If it ends by itself, it is restarted, like by an orchestrator. */
import { setTimeout as sleep } from 'node:timers/promises';
import { launchUntilReady } from '../../../local/processes/launch-until-ready.js';
import type { Part, Running } from '../../../local/processes/part.js';
import type { RunRecord } from '../../../local/state/run-record.js';
import { signalFamily } from './family.js';

/** How a process ended after it was ready. */
export interface Exit {
  pid: number;
  /** The last signal with which the stage ended it. */
  asked: 'SIGTERM' | 'SIGKILL' | null;
  code: number | null;
  signal: string | null;
}

export interface ActorHooks {
  record: RunRecord;
  /** Ends all attempts to start. */
  closing: AbortSignal;
  onExit(exit: Exit): void;
}

const restartAfterMs = 500;

export class Actor {
  #running: Running | undefined;
  #starting: Promise<void> | undefined;
  /** A nemesis ended it, and will start it again. */
  #isHeldDown = false;
  #asked: Exit['asked'] = null;

  /** @param makePart called at each start, so that it can first clean up files of a killed process */
  constructor(
    readonly name: string,
    private readonly makePart: () => Part | Promise<Part>,
    private readonly hooks: ActorHooks,
  ) {}

  get pid(): number | undefined {
    return this.#running?.identity.pid;
  }

  /** Starts it, with as many attempts as necessary. Resolves when it is ready or the run ends. */
  start(): Promise<void> {
    this.#isHeldDown = false;
    this.#starting ??= this.#startUntilReady().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** Sends SIGKILL to it and its descendants. Resolves when it has ended. It stays down until `start`. */
  async kill(): Promise<void> {
    this.#isHeldDown = true;
    const running = this.#running;
    if (running === undefined) return;
    this.#asked = 'SIGKILL';
    signalFamily(running.identity.pid, 'SIGKILL');
    await running.ended;
  }

  /** Sends SIGTERM, and SIGKILL if it has not ended after this time. Resolves when it has ended. It stays down until `start`. */
  async terminate(waitMs: number): Promise<void> {
    this.#isHeldDown = true;
    const running = this.#running;
    if (running === undefined) return;
    this.#asked = 'SIGTERM';
    process.kill(running.identity.pid, 'SIGTERM');
    const force = setTimeout(() => signalFamily(running.identity.pid, 'SIGKILL'), waitMs);
    await running.ended;
    clearTimeout(force);
  }

  /** Stops its execution. Its connections stay open. */
  freeze(): void {
    if (this.pid !== undefined) signalFamily(this.pid, 'SIGSTOP');
  }

  thaw(): void {
    if (this.pid !== undefined) signalFamily(this.pid, 'SIGCONT');
  }

  /** Ends it permanently and in the normal way. */
  async close(): Promise<void> {
    this.#isHeldDown = true;
    await this.#starting?.catch(() => undefined);
    this.thaw();
    await this.#running?.end();
  }

  async #startUntilReady(): Promise<void> {
    while (!this.hooks.closing.aborted && !this.#isHeldDown && this.#running === undefined) {
      try {
        const running = await launchUntilReady(await this.makePart(), this.hooks.record, this.hooks.closing);
        this.#running = running;
        this.#asked = null;
        void running.ended.then(() => this.#ended(running));
      } catch {
        // Its servers may be down. The log shows that. A failed start is not an exit.
        await sleep(restartAfterMs, undefined, { signal: this.hooks.closing }).catch(() => undefined);
      }
    }
  }

  #ended(running: Running): void {
    const { exitCode: code, signalCode: signal } = running.child;
    this.#running = undefined;
    if (this.hooks.closing.aborted) return;
    this.hooks.onExit({ pid: running.identity.pid, asked: this.#asked, code, signal });
    if (this.#isHeldDown) return;
    void sleep(restartAfterMs, undefined, { signal: this.hooks.closing }).then(
      () => (this.#isHeldDown ? undefined : this.start()),
      () => undefined,
    );
  }
}
