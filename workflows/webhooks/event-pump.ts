import type { LeftDeliveries } from '../contract.js';
import { DeliveryStarter } from './start-deliveries.js';

/**
 * Delivers the events of one group in the background. Only one round runs at a time, so the events of one message keep their order.
 */
export class EventPump {
  #due = false;
  #running: Promise<void> | undefined;
  #starting: Promise<unknown> = Promise.resolve();
  readonly #starter = new DeliveryStarter();

  /** @param round delivers the due events; returns the workflows to start for the rest */
  constructor(private readonly round: () => Promise<LeftDeliveries>) {}

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Starts a round, or another one after the running round. Returns at once. */
  start(deliveries = 1): void {
    if (deliveries === 0) return;
    this.#due = true;
    this.#running ??= this.#pump();
  }

  /** Runs an activity that also delivers the group's events. No round begins until it ends. */
  during<Work extends { left: LeftDeliveries }>(work: Promise<Work>): Promise<Work> {
    this.#due = false;
    const delivered = work.then(
      ({ left }) => this.#startLeft(left),
      () => this.start(),
    );
    this.#running = delivered.then(() => this.#pump());
    return work;
  }

  /** Waits until each event had its first attempt, or was left to another workflow that has been started. */
  async drained(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    await this.#starting;
  }

  async #pump(): Promise<void> {
    while (this.#due) {
      this.#due = false;
      this.#startLeft(await this.round());
    }
    this.#running = undefined;
  }

  /** Starts the workflows for the rest. The next round does not wait for them: the round has assigned their deliveries already. */
  #startLeft(left: LeftDeliveries): void {
    this.#due ||= left.more === true;
    this.#starting = Promise.all([this.#starting, this.#starter.start(left)]);
  }
}
