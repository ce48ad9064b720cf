/** `tidings bulk` */
import { type BulkOptions, keyOf } from './bulk-file.js';
import { noteFaults } from './bulk-lines.js';
import { summarizePreview, planOf } from './bulk-preview.js';
import { sendAll } from './bulk-send.js';
import { channels, choice, type Command, type Context, Failed, inWords, textOption, UsageError, wholeNumber } from './command.js';
import { confirm } from './input.js';
import { plain } from './terminal.js';

export const bulk: Command = {
  usage: 'FILE.csv --text TEXT [options]',
  summary: 'send to all rows of a CSV file',
  help: `  --text TEXT          with placeholders: Hello {{name}}
  --channel NAME       ${inWords(channels)} (default: sms)
  --subject TEXT       subject of an e-mail
  --to COLUMN          column of the recipients (default: to, recipient, phone or email)
  --column NAME=COLUMN the placeholder NAME is in this column; may be repeated
  --skip-invalid       skip invalid rows; without it, one invalid row makes the
                       service refuse its whole request
  --allow-duplicates   send to a recipient as often as it is in the file; without
                       it the first row counts, even if it is invalid
  --at TIME, --rate N  send later; N messages per second in all
  --preview            show the first text, the price, validation errors and
                       warnings; send nothing
  --yes                do not ask
  --run NAME           another name sends the same file again

Sends up to 10,000 rows, or 3.5 MB, with each request. After Ctrl-C or an
error run the same command again: what was sent already is not sent a second
time.`,
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
    const { summary, firstText, faults, warnings, ...sums } = await summarizePreview(tidings, options, plan, signal);
    const shown = `${summary}\nfirst text: ${plain(firstText)}`;
    if (values.yes !== true || values.preview === true) noteFaults(context, faults); // else the responses to the send name them
    for (const warning of warnings) terminal.note(`warning: ${warning}`);
    const { chunks, rows, duplicates } = plan;
    if (values.preview === true) return terminal.print(shown, { chunks, rows, duplicates, first: firstText, ...sums, faults, warnings });
    terminal.note(shown);
    if (values.yes !== true && !(await confirm(context))) throw new Failed('nothing was sent');
    await sendAll(context, tidings, { options: sharingRate(options, chunks), key, total: rows });
  },
};

function optionsOf(context: Context): BulkOptions {
  const { values, positionals } = context;
  const [file = ''] = positionals;
  const [text, subject, to, at] = ['text', 'subject', 'to', 'at'].map((name) => textOption(context, name));
  if (text === undefined) throw new UsageError('--text is required');
  const rate = wholeNumber(context, 'rate', 1_000_000);
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

/** The batches of all requests run at the same time, each at a rate of its own: together they must keep to the one that was asked for. */
function sharingRate(options: BulkOptions, chunks: number): BulkOptions {
  const { rate } = options.body;
  return typeof rate === 'number' ? { ...options, body: { ...options.body, rate: rate / chunks } } : options;
}
