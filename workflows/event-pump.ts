import type { LeftDeliveries } from './contract.js';
import { DeliveryStarter } from './start-deliveries.js';

/**
 * Delivers the events of one group, one round at a time so that events of one message keep their order, beside whatever the
 * workflow does meanwhile.
 */
export class EventPump {
  #due = false;
  #running: Promise<void> | undefined;
  #starting: Promise<unknown> = Promise.resolve();
  readonly #starter = new DeliveryStarter();

  /** @param round delivers what is due; tells what has to be started for the rest */
  constructor(private readonly round: () => Promise<LeftDeliveries>) {}

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** There is something to deliver. Returns at once. */
  start(deliveries = 1): void {
    if (deliveries === 0) return;
    this.#due = true;
    this.#running ??= this.#pump();
  }

  /** Work that delivers the group's events as well: no round begins beside it. */
  during<Work extends { left: LeftDeliveries }>(work: Promise<Work>): Promise<Work> {
    this.#due = false;
    const delivered = work.then(
      ({ left }) => this.#startLeft(left),
      () => this.start(),
    );
    this.#running = delivered.then(() => this.#pump());
    return work;
  }

  /** Waits until everything has had its first attempt or is carried by a child workflow. */
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

  /** Nobody waits for it: what these carry is theirs since the round. */
  #startLeft(left: LeftDeliveries): void {
    this.#due ||= left.more === true;
    this.#starting = Promise.all([this.#starting, this.#starter.start(left)]);
  }
}
