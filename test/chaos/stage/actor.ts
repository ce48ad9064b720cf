/** A process of the stage that nemeses may kill, stop, freeze and start again. What ends by itself is started again, as an orchestrator would. */
import { setTimeout as sleep } from 'node:timers/promises';
import { launchUntilReady } from '../../../local/processes/launch-until-ready.js';
import type { Part, Running } from '../../../local/processes/part.js';
import type { RunRecord } from '../../../local/processes/run-record.js';
import { signalFamily } from './family.js';

/** How a process ended after it had been ready. */
export interface Exit {
  pid: number;
  /** The last signal that the stage sent to end it. */
  asked: 'SIGTERM' | 'SIGKILL' | null;
  code: number | null;
  signal: string | null;
}

export interface ActorHooks {
  record: RunRecord;
  /** Gives up every start. */
  closing: AbortSignal;
  onExit(exit: Exit): void;
}

const restartAfterMs = 500;

export class Actor {
  #running: Running | undefined;
  #starting: Promise<void> | undefined;
  /** A nemesis ended it and starts it again. */
  #isHeldDown = false;
  #asked: Exit['asked'] = null;

  /** @param makePart asked at each start, so that files that a killed process left can be settled first */
  constructor(
    readonly name: string,
    private readonly makePart: () => Part | Promise<Part>,
    private readonly hooks: ActorHooks,
  ) {}

  get pid(): number | undefined {
    return this.#running?.identity.pid;
  }

  /** Starts it, as often as it takes, and resolves when it is ready or the run ends. */
  start(): Promise<void> {
    this.#isHeldDown = false;
    this.#starting ??= this.#startUntilReady().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** SIGKILL for it and its descendants; resolves when it is gone. It stays down until `start`. */
  async kill(): Promise<void> {
    this.#isHeldDown = true;
    const running = this.#running;
    if (running === undefined) return;
    this.#asked = 'SIGKILL';
    signalFamily(running.identity.pid, 'SIGKILL');
    await running.ended;
  }

  /** SIGTERM, and SIGKILL when it is not gone after so long; resolves when it is gone. It stays down until `start`. */
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

  /** Stops its work in the middle; connections stay open. */
  freeze(): void {
    if (this.pid !== undefined) signalFamily(this.pid, 'SIGSTOP');
  }

  thaw(): void {
    if (this.pid !== undefined) signalFamily(this.pid, 'SIGCONT');
  }

  /** Ends it for good, in good order. */
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
        // Its servers may be away: its log tells. A start that fails is no exit.
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
