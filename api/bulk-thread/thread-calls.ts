/** Calls between two threads, both ways over one port. */
import { errorFrom, type ErrorParts, partsOf } from '../http/error-status.js';
import { AppError } from '../../models/errors.js';

/** What a side answers, by name. Arguments and values are copied on their way, except for the bytes that `ownBytes` finds in them. */
export type Offer = Record<string, (argument: never) => Promise<unknown>>;

/** What a `Worker` and the `parentPort` within it have in common. */
export interface Port {
  postMessage(message: Message, moved: ArrayBuffer[]): void;
  on(event: 'message', listener: (message: Message) => void): unknown;
}

/**
 * The memory of these bytes, which moves to the other side instead of being copied: afterwards this side cannot read them.
 * Bytes that share their memory with others, as small buffers do, are copied.
 */
export const ownBytes = ({ buffer, byteLength }: Uint8Array): ArrayBuffer[] =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];

/** A value of which these parts are moved, see `ownBytes`. */
export class Moved<Value> {
  constructor(
    readonly value: Value,
    readonly parts: ArrayBuffer[],
  ) {}
}

type Question = { asked: number; name: string; argument: unknown };
type Answer = { answered: number } & Outcome;
type Message = Question | Answer;
/** A copy of an error keeps the message and the stack, but not the class: an `AppError` travels as its parts. */
type Outcome = { value: unknown } | { refusal: ErrorParts } | { error: unknown };

type Plain<Value> = Value extends Moved<infer Inner> ? Inner : Value;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Answers what the other side asks, and asks it. */
export class ThreadCalls<Theirs extends Offer> {
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  constructor(
    private readonly port: Port,
    private readonly ours: Offer,
  ) {
    port.on('message', (message) => ('asked' in message ? void this.#answer(message) : this.#settle(message)));
  }

  /** @throws what the other side throws: an AppError as it is, of others the message and the stack */
  ask<Name extends keyof Theirs & string>(
    name: Name,
    argument: Parameters<Theirs[Name]>[0],
    moved: ArrayBuffer[] = [],
  ): Promise<Plain<Awaited<ReturnType<Theirs[Name]>>>> {
    this.#asked += 1;
    const asked = this.#asked;
    const answered = new Promise((resolve, reject) => this.#waiting.set(asked, { resolve, reject }));
    this.port.postMessage({ asked, name, argument }, moved);
    return answered as Promise<Plain<Awaited<ReturnType<Theirs[Name]>>>>;
  }

  /** Nobody answers any more: all that was asked fails. */
  fail(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  async #answer({ asked: answered, name, argument }: Question): Promise<void> {
    const work = this.ours[name] as (argument: unknown) => Promise<unknown>;
    let moved: ArrayBuffer[] = [];
    const outcome: Outcome = await work(argument).then((value) => {
      if (!(value instanceof Moved)) return { value };
      moved = value.parts;
      return { value: value.value as unknown };
    }, outcomeOf);
    this.port.postMessage({ answered, ...outcome }, moved);
  }

  #settle({ answered, ...outcome }: Answer): void {
    const waiting = this.#waiting.get(answered);
    this.#waiting.delete(answered);
    if ('value' in outcome) waiting?.resolve(outcome.value);
    else waiting?.reject('refusal' in outcome ? errorFrom(outcome.refusal) : outcome.error);
  }
}

const outcomeOf = (error: unknown): Outcome => (error instanceof AppError ? { refusal: partsOf(error) } : { error });
