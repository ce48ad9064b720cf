/** `tidings bulk` */
import { type NewBatch, type PreviewRequest, type SendOptions, type SentBatch, type Tidings, TidingsError } from '../client/index.js';
import { type BulkOptions, type Chunk, keyOf, readChunks } from './bulk-file.js';
import { channels, choice, type Command, type Context, Failed, inWords, textOption, UsageError, wholeNumber } from './command.js';
import { confirm } from './input.js';
import { counted, plain } from './terminal.js';

export const bulk: Command = {
  usage: 'FILE.csv --text TEXT [options]',
  summary: 'send to all rows of a CSV file',
  help: `  --text TEXT          with placeholders: Hello {{name}}
  --channel NAME       ${inWords(channels)} (default: sms)
  --subject TEXT       of an e-mail
  --to COLUMN          of the recipients (default: to, recipient, phone or email)
  --column NAME=COLUMN the placeholder NAME is in this column; may be repeated
  --skip-invalid       leave out rows with faults, which else refuse their request
  --allow-duplicates   send to a recipient as often as it is in the file; without
                       it the first row counts, even if it has a fault
  --at TIME, --rate N  send later; N messages per second in all
  --preview            show the first text and the price, send nothing
  --yes                do not ask
  --run NAME           another name sends the same file again

Sends 10,000 rows with each request. After Ctrl-C or an error run the same
command again: what was sent already is not sent a second time.`,
  options: {
    ...Object.fromEntries(['text', 'channel', 'subject', 'to', 'at', 'rate', 'run'].map((name) => [name, { type: 'string' }] as const)),
    column: { type: 'string', multiple: true },
    ...Object.fromEntries(['skip-invalid', 'allow-duplicates', 'preview', 'yes'].map((name) => [name, { type: 'boolean' }] as const)),
  },
  offers: { '': ['FILE'], channel: channels },
  arguments: [1, 1],
  outlivesReader: true,
  async run(context) {
    const { terminal, values, signal } = context;
    const options = optionsOf(context);
    const tidings = context.tidings();
    const key = await keyOf(options);
    const plan = await planOf(options);
    const preview = await tidings.messages.preview(requestOf(options, plan.first) as PreviewRequest, { signal });
    const { balance } = await tidings.balance({ signal });
    const isWhole = plan.chunks === 1;
    const credits = isWhole ? preview.credits : (preview.credits * plan.rows) / plan.first.recipients.length;
    const price = `${isWhole ? '' : 'about '}${counted(Math.round(credits * 10) / 10, 'credit')}`;
    const leftOut = plan.duplicates > 0 ? `, ${counted(plan.duplicates, 'duplicate')} left out` : '';
    const summary = `${counted(plan.rows, 'message')}, ${price} (balance ${balance})${leftOut}`;
    const sample = preview.messages?.[0]?.text ?? '';
    if (values.preview === true)
      return terminal.print(`${summary}\nfirst text: ${plain(sample)}`, { ...plan, first: sample, credits, balance });
    terminal.note(`${summary}\nfirst text: ${plain(sample)}`);
    if (values.yes !== true && !(await confirm(context))) throw new Failed('nothing was sent');
    await sendAll(context, tidings, { options: sharingRate(options, plan.chunks), key, total: plan.rows });
  },
};

function optionsOf(context: Context): BulkOptions {
  const { values, positionals } = context;
  const [file = ''] = positionals;
  const [text, subject, to, at] = ['text', 'subject', 'to', 'at'].map((name) => textOption(context, name));
  if (text === undefined) throw new UsageError('--text is needed');
  const rate = wholeNumber(context, 'rate', 1, 1_000_000);
  const columns = columnsOf(context);
  const body = {
    channel: choice(context, 'channel', channels) ?? 'sms',
    content: { text, ...(subject === undefined ? {} : { subject }) },
    ...(values['skip-invalid'] === true ? { on_invalid: 'skip' } : {}),
    ...(values['allow-duplicates'] === true ? { allow_duplicates: true } : {}),
    ...(at === undefined ? {} : { scheduled_at: at }),
    ...(rate === undefined ? {} : { rate }),
  };
  const allowDuplicates = values['allow-duplicates'] === true;
  return { file, columns, allowDuplicates, body, run: textOption(context, 'run') ?? '', ...(to === undefined ? {} : { to }) };
}

/** The columns of placeholders, by their names. */
function columnsOf({ values }: Context): Map<string, string> {
  const columns = new Map<string, string>();
  for (const given of Array.isArray(values.column) ? values.column : []) {
    const [, name, column] = /^([^=]+)=(.+)$/.exec(String(given)) ?? [];
    if (name === undefined || column === undefined) throw new UsageError('--column must be NAME=COLUMN');
    columns.set(name, column);
  }
  return columns;
}

const requestOf = ({ body }: BulkOptions, { recipients }: Chunk): Record<string, unknown> => ({ ...body, recipients });

/** The batches of all requests run at the same time, each at a rate of its own: together they must keep to the one that was asked for. */
function sharingRate(options: BulkOptions, chunks: number): BulkOptions {
  const { rate } = options.body;
  return typeof rate === 'number' ? { ...options, body: { ...options.body, rate: rate / chunks } } : options;
}

interface Plan {
  first: Chunk;
  chunks: number;
  rows: number;
  duplicates: number;
}

/** Reads the file to its end once, so that a fault in its last line is found before anything is sent. */
async function planOf(options: BulkOptions): Promise<Plan> {
  let plan: Plan | undefined;
  for await (const chunk of readChunks(options)) {
    const { first, chunks, rows, duplicates } = plan ?? { first: chunk, chunks: 0, rows: 0, duplicates: 0 };
    plan = { first, chunks: chunks + 1, rows: rows + chunk.recipients.length, duplicates: duplicates + chunk.duplicates };
  }
  if (plan === undefined) throw new UsageError(`${options.file} has no rows`);
  return plan;
}

interface BulkRun {
  options: BulkOptions;
  /** The idempotency key of the file, of which each request has its own. */
  key: string;
  /** The number of rows. */
  total: number;
}

async function sendAll(context: Context, tidings: Tidings, { options, key, total }: BulkRun): Promise<void> {
  const { terminal, signal } = context;
  let index = 0;
  let done = 0;
  let earlier = 0;
  try {
    for await (const chunk of readChunks(options)) {
      terminal.progress(bar(done, total));
      signal.throwIfAborted();
      const send = { signal, idempotencyKey: `${key}-${index}`, retries: 10, timeoutMs: 120_000 };
      const onResponse = (_: number, headers: Headers) => {
        if (headers.get('idempotent-replayed') === 'true') earlier += 1;
      };
      const batch = await sendChunk(tidings, requestOf(options, chunk), { ...send, onResponse }).catch(withLines(chunk));
      terminal.progress('');
      report(context, batch, chunk);
      index += 1;
      done += chunk.recipients.length;
    }
  } catch (error) {
    terminal.progress('');
    terminal.note(`${done} of ${total} rows were sent; run the same command again to send the rest`);
    if (error instanceof TidingsError && error.status === 400)
      terminal.note('--skip-invalid leaves out the rows with faults; a changed file is sent from its beginning');
    throw error;
  }
  if (earlier > 0) terminal.note(`${earlier} of ${index} requests had been sent before, and were not sent again (--run NAME sends them)`);
}

/** A request that was sent before without `on_invalid` has the same key: its answer is the one that is wanted then. */
async function sendChunk(tidings: Tidings, { on_invalid, ...request }: Record<string, unknown>, options: SendOptions): Promise<SentBatch> {
  if (on_invalid === undefined) return tidings.batches.send(request as NewBatch, options);
  return tidings.batches.send({ ...request, on_invalid } as NewBatch, options).catch((error: unknown) => {
    if (!(error instanceof TidingsError) || error.code !== 'idempotency_mismatch') throw error;
    return tidings.batches.send(request as NewBatch, options);
  });
}

function report({ terminal }: Context, batch: SentBatch, { lines }: Chunk): void {
  for (const { index, field, message } of batch.errors ?? []) terminal.note(`line ${lines[index] ?? '?'}: ${field}: ${plain(message)}`);
  const invalid = batch.invalid > 0 ? `, ${batch.invalid} invalid` : '';
  terminal.print(`${batch.id}  ${counted(batch.accepted, 'message')}, ${counted(batch.credits_used, 'credit')}${invalid}`, batch);
}

/** Names the line of the file in the faults of a refused request. */
const withLines =
  ({ lines }: Chunk) =>
  (error: unknown): never => {
    if (!(error instanceof TidingsError) || error.details.length === 0) throw error;
    const { status, code, requestId, retryAfterSeconds } = error;
    const details = error.details.map((fault) => ({
      ...fault,
      field: fault.field.replace(/^recipients\[(\d+)\]/, (_, at) => `line ${lines[Number(at)]}`),
    }));
    const message = details.map((fault) => `${fault.field}: ${fault.message}`)[0] ?? error.message;
    throw new TidingsError({ status, code, message, details: details.slice(1), requestId, retryAfterSeconds }, { cause: error });
  };

const width = 30;

function bar(done: number, total: number): string {
  const filled = Math.floor((done / total) * width);
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${done} of ${total}`;
}
