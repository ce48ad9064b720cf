/** What `tidings bulk` will send and what it costs, before anything is sent. */
import { type Preview, type PreviewRequest, type Tidings, TidingsError } from '../client/index.js';
import { type BulkOptions, type Chunk, readChunks, requestOf } from './bulk-file.js';
import { byLine, type LineFault, withLines } from './bulk-lines.js';
import { UsageError } from './command.js';
import { counted } from './terminal.js';

export interface Plan {
  first: Chunk;
  chunks: number;
  rows: number;
  duplicates: number;
}

/** Reads the file to its end once, so that a fault in its last line is found before anything is sent. */
export async function planOf(options: BulkOptions): Promise<Plan> {
  let plan: Plan | undefined;
  for await (const chunk of readChunks(options)) {
    const { first, chunks, rows, duplicates } = plan ?? { first: chunk, chunks: 0, rows: 0, duplicates: 0 };
    plan = { first, chunks: chunks + 1, rows: rows + chunk.recipients.length, duplicates: duplicates + chunk.duplicates };
  }
  if (plan === undefined) throw new UsageError(`${options.file} has no rows`);
  return plan;
}

export interface PreviewSummary {
  summary: string;
  firstText: string;
  credits: number;
  balance: number;
  /** Rows with faults, among those of the preview. */
  faulty: number;
  faults: LineFault[];
  /** Probable mistakes in what is sent. */
  warnings: string[];
}

/**
 * The price of all rows, and the faults of the rows that are previewed. If all rows need several requests, only the first is previewed, and the
 * price of all is estimated from its price.
 */
export async function summarizePreview(tidings: Tidings, options: BulkOptions, plan: Plan, signal: AbortSignal): Promise<PreviewSummary> {
  const { preview, rows } = await previewOf(tidings, options, plan.first, signal);
  const { balance } = await tidings.balance({ signal });
  const isWhole = rows === plan.rows;
  const credits = isWhole ? preview.credits : (preview.credits * plan.rows) / rows;
  const messages = preview.messages ?? [];
  const faulty = messages.filter(({ errors }) => errors.length > 0).length;
  const summary = [
    counted(plan.rows - faulty, 'message'),
    ...(faulty > 0 ? [`${counted(faulty, 'invalid row')}${isWhole ? '' : ` among the first ${rows}`}`] : []),
    `${isWhole ? '' : 'about '}${counted(Math.round(credits * 10) / 10, 'credit')} (balance ${balance})`,
    ...(plan.duplicates > 0 ? [`${counted(plan.duplicates, 'duplicate')} left out`] : []),
  ].join(', ');
  const faults = byLine(
    messages.flatMap(({ errors }, index) => errors.map((fault) => ({ index, ...fault }))),
    plan.first,
  );
  const warnings = (preview.warnings ?? []).map(({ message }) => (isWhole ? message : `among the first ${rows} rows: ${message}`));
  return { summary, firstText: messages[0]?.text ?? '', credits, balance, faulty, faults, warnings };
}

/** As many rows as fit into one preview even if each text has the maximum length. */
const shortRows = 100;

/** The preview of a request. If it has too much text for that, which a send may have, then the preview of its first rows. */
async function previewOf(
  tidings: Tidings,
  options: BulkOptions,
  chunk: Chunk,
  signal: AbortSignal,
): Promise<{ preview: Preview; rows: number }> {
  const ask = (recipients: Chunk['recipients']) =>
    tidings.messages.preview(requestOf(options, recipients) as PreviewRequest, { signal }).catch(withLines(chunk));
  const { length } = chunk.recipients;
  try {
    return { preview: await ask(chunk.recipients), rows: length };
  } catch (error) {
    if (!isTooLong(error) || length <= shortRows) throw error;
    return { preview: await ask(chunk.recipients.slice(0, shortRows)), rows: shortRows };
  }
}

/** A fault of the recipients together, and no other. */
const isTooLong = (error: unknown) =>
  error instanceof TidingsError && error.status === 400 && error.details.length === 1 && error.details[0]?.field === 'recipients';
