/** Remote procedure calls between two threads, in both directions over one message port. */
import { errorFrom, type ErrorParts, partsOf } from '../http/errors/error-status.js';
import { AppError } from '../../models/errors.js';

/** The functions that one side offers, by name. Arguments and results are copied, except for the buffers that are transferred. */
export type CallHandlers = Record<string, (argument: never) => Promise<unknown>>;

/** The methods that a `Worker` and its `parentPort` have in common. */
export interface Port {
  postMessage(message: Message, transferred: ArrayBuffer[]): void;
  on(event: 'message', listener: (message: Message) => void): unknown;
}

/**
 * Returns the memory of these bytes as a list for `postMessage`, to move it to the other thread without a copy. This thread cannot read the
 * bytes afterwards. The list is empty for bytes that share their memory with others, as small buffers do. Those are copied.
 */
export const transferableBuffers = ({ buffer, byteLength }: Uint8Array): ArrayBuffer[] =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];

/** The result of a call, with the buffers in it that are moved instead of copied. */
export class Transfer<Value> {
  constructor(
    readonly value: Value,
    readonly buffers: ArrayBuffer[],
  ) {}
}

type CallMessage = { callId: number; name: string; argument: unknown };
type ResultMessage = { resultOf: number } & Outcome;
type Message = CallMessage | ResultMessage;
type Outcome = { value: unknown } | { appError: ErrorParts } | { error: unknown };

type WithoutTransfer<Value> = Value extends Transfer<infer Inner> ? Inner : Value;

interface PendingCall {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** One side of the connection: it calls the other side, and runs the calls of the other side. */
export class ThreadCalls<Remote extends CallHandlers> {
  readonly #pending = new Map<number, PendingCall>();
  #lastCallId = 0;

  constructor(
    private readonly port: Port,
    private readonly handlers: CallHandlers,
  ) {
    port.on('message', (message) => ('callId' in message ? void this.#run(message) : this.#settle(message)));
  }

  /** @throws the error of the other side: an AppError as it is, of any other error the message and the stack */
  call<Name extends keyof Remote & string>(
    name: Name,
    argument: Parameters<Remote[Name]>[0],
    transferred: ArrayBuffer[] = [],
  ): Promise<WithoutTransfer<Awaited<ReturnType<Remote[Name]>>>> {
    this.#lastCallId += 1;
    const callId = this.#lastCallId;
    const result = new Promise((resolve, reject) => this.#pending.set(callId, { resolve, reject }));
    this.port.postMessage({ callId, name, argument }, transferred);
    return result as Promise<WithoutTransfer<Awaited<ReturnType<Remote[Name]>>>>;
  }

  /** Rejects all pending calls, because the other side has ended. */
  fail(error: unknown): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  async #run({ callId, name, argument }: CallMessage): Promise<void> {
    const handler = this.handlers[name] as (argument: unknown) => Promise<unknown>;
    let transferred: ArrayBuffer[] = [];
    const outcome: Outcome = await handler(argument).then((value) => {
      if (!(value instanceof Transfer)) return { value };
      transferred = value.buffers;
      return { value: value.value as unknown };
    }, outcomeOfError);
    this.port.postMessage({ resultOf: callId, ...outcome }, transferred);
  }

  #settle({ resultOf, ...outcome }: ResultMessage): void {
    const pending = this.#pending.get(resultOf);
    this.#pending.delete(resultOf);
    if ('value' in outcome) pending?.resolve(outcome.value);
    else pending?.reject('appError' in outcome ? errorFrom(outcome.appError) : outcome.error);
  }
}

const outcomeOfError = (error: unknown): Outcome => (error instanceof AppError ? { appError: partsOf(error) } : { error });
