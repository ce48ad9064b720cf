/** The requests of `tidings bulk`, one after the other. */
import { type NewBatch, type SendOptions, type SentBatch, type Tidings, TidingsError } from '../client/index.js';
import { type BulkOptions, type Chunk, readChunks, requestOf } from './bulk-file.js';
import { byLine, noteFaults, type RowFault, withLines } from './bulk-lines.js';
import { type Context, Failed } from './command.js';
import { counted, plain } from './terminal.js';

export interface BulkRun {
  options: BulkOptions;
  /** The first part of the idempotency keys of the requests. */
  key: string;
  /** The number of rows. */
  total: number;
}

/** Sends all rows. @throws Failed if no row could be sent */
export async function sendAll(context: Context, tidings: Tidings, { options, key, total }: BulkRun): Promise<void> {
  const { terminal, signal } = context;
  let index = 0;
  let done = 0;
  let earlier = 0;
  let accepted = 0;
  try {
    for await (const chunk of readChunks(options)) {
      terminal.progress(bar(done, total));
      signal.throwIfAborted();
      const send = { signal, idempotencyKey: `${key}-${index}`, retries: 10, timeoutMs: 120_000 };
      // A replay may answer an earlier attempt of this call whose answer was lost. It does not if all of them were refused.
      let refused = 0;
      const onResponse = (status: number, headers: Headers, attempt: number) => {
        if (attempt === 0) refused = 0; // the same request with the other value of `on_invalid`
        if (status === 429 || status === 503) refused += 1;
        else if (attempt === refused && headers.get('idempotent-replayed') === 'true') earlier += 1;
      };
      const batch = await sendChunk(tidings, requestOf(options, chunk.recipients), { ...send, onResponse }).catch(withLines(chunk));
      terminal.progress('');
      report(context, batch, chunk);
      index += 1;
      done += chunk.recipients.length;
      accepted += batch.accepted;
    }
  } catch (error) {
    terminal.progress('');
    terminal.note(
      `${done} of ${total} rows were sent, ${counted(accepted, 'message')} accepted; run the same command again to send the rest`,
    );
    if (error instanceof TidingsError && error.status === 400)
      terminal.note('--skip-invalid skips the invalid rows; a changed file is sent from its beginning');
    throw error;
  }
  if (earlier > 0) terminal.note(`${earlier} of ${index} requests had been sent before, and were not sent again (--run NAME sends them)`);
  if (accepted === 0) throw new Failed('nothing was sent: every row is invalid');
}

/** A request that was sent before with the other value of `on_invalid` has the same key: its answer is the one that is wanted then. */
async function sendChunk(tidings: Tidings, request: Record<string, unknown>, options: SendOptions): Promise<SentBatch | NoBatch> {
  const { on_invalid, ...always } = request;
  try {
    return await tidings.batches.send(request as NewBatch, options);
  } catch (error) {
    if (!(error instanceof TidingsError)) throw error;
    const other = on_invalid === undefined ? { ...always, on_invalid: 'skip' } : always;
    if (error.code === 'idempotency_mismatch') return tidings.batches.send(other as NewBatch, options);
    if (on_invalid === undefined) throw error;
    return withoutRows(error, request.recipients as readonly unknown[]);
  }
}

/** A request that sent nothing; in place of a batch. */
interface NoBatch extends Pick<SentBatch, 'accepted' | 'invalid' | 'credits_used'> {
  id: null;
  errors: RowFault[];
  /** Faults without a row: how many more there are. */
  others: string[];
}

/**
 * With `on_invalid: "skip"` the service refuses a request only if every row is faulty. The requests after it are to be sent nevertheless.
 * @throws TidingsError the error, if it has another cause
 */
function withoutRows(error: TidingsError, { length: invalid }: readonly unknown[]): NoBatch {
  const errors: RowFault[] = [];
  const others: string[] = [];
  for (const { field, message } of error.details) {
    const [, at] = /^recipients\[(\d+)\]/.exec(field) ?? [];
    if (at !== undefined) errors.push({ index: Number(at), field, message });
    else if (field === 'recipients') others.push(message);
    else throw error; // a fault of the whole request, which all others have, too
  }
  if (error.status !== 400 || errors.length === 0) throw error;
  return { id: null, accepted: 0, invalid, credits_used: 0, errors, others };
}

function report(context: Context, batch: SentBatch | NoBatch, chunk: Chunk): void {
  const { terminal } = context;
  noteFaults(context, byLine(batch.errors ?? [], chunk));
  if ('others' in batch) for (const message of batch.others) terminal.note(plain(message));
  const invalid = batch.invalid > 0 ? `, ${batch.invalid} invalid` : '';
  terminal.print(`${batch.id ?? '-'}  ${counted(batch.accepted, 'message')}, ${counted(batch.credits_used, 'credit')}${invalid}`, batch);
}

const width = 30;

function bar(done: number, total: number): string {
  const filled = Math.floor((done / total) * width);
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${done} of ${total}`;
}
