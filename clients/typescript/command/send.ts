/** `tidings send` and `tidings trigger` */
import { randomUUID } from 'node:crypto';
import { type Message, type NewMessage, type SentMessage, type Tidings, TidingsError } from '../client/index.js';
import {
  channels,
  channelTo,
  choice,
  type Command,
  type Context,
  Failed,
  inWords,
  textOption,
  Undecided,
  UsageError,
  wholeNumber,
} from './command.js';
import { untilStatus, usualSeconds, type Waiting } from './follow.js';
import { readInput } from './input.js';
import { counted } from './terminal.js';

/** 30 days, more than any carrier takes to report. */
const longestSeconds = 2_592_000;

export const send: Command = {
  usage: 'TO TEXT [options]',
  summary: 'send a message',
  help: `  --channel NAME     ${inWords(channels)} (default: email if TO has an @, else sms)
  --subject TEXT     subject of an e-mail
  --html HTML        HTML part of an e-mail
  --reference TEXT   your own name for the message
  --at TIME          send later, ISO 8601
  --expires TIME     not sent after this time
  --key KEY          idempotency key: the same key and message are sent once;
                     shown with exit code 4 if the acceptance is not known
  --preview          show text and price, send nothing
  --wait             wait until it is delivered; exit code 1 if it failed,
                     4 if that is not decided in time, or the wait failed
  --timeout SECONDS  the longest wait, from when it is due (default ${usualSeconds})

TEXT - reads the text from standard input and removes a line break at its end.`,
  options: {
    channel: { type: 'string' },
    subject: { type: 'string' },
    html: { type: 'string' },
    reference: { type: 'string' },
    at: { type: 'string' },
    expires: { type: 'string' },
    key: { type: 'string' },
    preview: { type: 'boolean' },
    wait: { type: 'boolean' },
    timeout: { type: 'string' },
  },
  offers: { channel: channels },
  arguments: [2, 2],
  outlivesReader: true,
  async run(context) {
    const { terminal, values, signal } = context;
    const seconds = wholeNumber(context, 'timeout', longestSeconds);
    if (seconds !== undefined && values.wait !== true) throw new UsageError('--timeout requires --wait');
    const message = await messageOf(context);
    const tidings = context.tidings();
    if (values.preview === true) {
      const preview = await tidings.messages.preview(message, { signal });
      const first = preview.messages?.[0];
      for (const { field, message: text } of [...(first?.errors ?? []), ...(preview.warnings ?? [])]) terminal.note(`${field}: ${text}`);
      const segments = first?.segments ?? null; // an e-mail has none
      const size = segments === null ? '' : `, ${counted(segments, 'segment')}`;
      return terminal.print(`${counted(preview.credits, 'credit')}${size}\n${first?.text ?? ''}`, preview);
    }
    const key = textOption(context, 'key') ?? randomUUID();
    const sent = await sendOrUndecided(
      tidings,
      message,
      { signal, idempotencyKey: key },
      `to send it only once, run again with --key ${key}`,
    );
    if (values.wait !== true) return report(context, sent);
    const { status } = await waitFor(context, tidings, sent, seconds === undefined ? {} : { seconds });
    if (status === 'failed') throw new Failed('the message failed');
  },
};

async function messageOf(context: Context): Promise<NewMessage> {
  const [to = '', given = ''] = context.positionals;
  const [subject, html, reference, at, expires] = ['subject', 'html', 'reference', 'at', 'expires'].map((name) =>
    textOption(context, name),
  );
  const text = given === '-' ? (await readInput(context)).replace(/\r?\n$/, '') : given;
  const message = {
    to,
    channel: choice(context, 'channel', channels) ?? channelTo(to),
    content: { text, ...(subject === undefined ? {} : { subject }), ...(html === undefined ? {} : { html }) },
    ...(reference === undefined ? {} : { reference }),
    ...(at === undefined ? {} : { scheduled_at: at }),
    ...(expires === undefined ? {} : { expires_at: expires }),
  };
  return message as NewMessage; // the service checks that recipient and channel belong together
}

/** @throws Undecided with the key, if the message may have been accepted: with another key, it would be sent and paid again */
async function sendOrUndecided(
  tidings: Tidings,
  message: NewMessage,
  options: { signal: AbortSignal; idempotencyKey: string },
  hint: string,
): Promise<SentMessage> {
  try {
    return await tidings.messages.send(message, options);
  } catch (error) {
    const { signal, idempotencyKey } = options;
    if (!signal.aborted && !(error instanceof TidingsError && error.isUndecided)) throw error;
    const text = `it is not known whether the message was accepted: ${(error as Error).message}`;
    const answer = error instanceof TidingsError ? { status: error.status, code: error.code, request_id: error.requestId } : {};
    throw new Undecided(text, { cause: error }, { ...answer, hints: [hint], idempotency_key: idempotencyKey });
  }
}

function report({ terminal }: Context, message: Message): void {
  const error = message.error_code === null ? '' : `  ${message.error_code} ${message.error_message ?? ''}`;
  terminal.print(`${message.id}  ${terminal.status(message.status)} ${counted(message.credits_used, 'credit')}${error}`, message);
}

/** Reports the message when it is decided. Its id is shown before: whatever ends the wait, the message is not sent again. @throws Undecided */
async function waitFor(context: Context, tidings: Tidings, sent: Message, waiting: Omit<Waiting, 'signal'>): Promise<Message> {
  const { terminal, signal } = context;
  terminal.note(terminal.isJson ? JSON.stringify({ accepted: { id: sent.id } }) : `accepted: ${sent.id}`);
  const { message, undecided } = await untilStatus(tidings, sent, { signal, ...waiting });
  report(context, message);
  if (undecided !== undefined) throw new Undecided(`the message is ${message.status}, ${undecided}: see tidings timeline ${message.id}`);
  return message;
}

/** Numbers of the sandbox; no carrier has given them to anybody. */
const triggers = {
  'message.queued': '+15005550002',
  'message.sent': '+15005550002',
  'message.delivered': '+15005550005',
  'message.failed': '+15005550006',
} as const;
const failures = {
  '30006': '+15005550006',
  '30007': '+15005550007',
  '30008': '+15005550008',
  '30034': '+15005550034',
  refused: '+15005550001',
};
const isEvent = (name: string): name is keyof typeof triggers => Object.hasOwn(triggers, name);

export const trigger: Command = {
  usage: 'EVENT [--code CODE]',
  summary: 'make an event happen in the sandbox',
  help: `  EVENT         ${Object.keys(triggers).join(', ')}
  --code CODE   of message.failed: ${Object.keys(failures).join(', ')}

Sends an SMS of one credit to a number of the sandbox, and waits for the event.`,
  options: { code: { type: 'string' } },
  offers: { '': Object.keys(triggers), code: Object.keys(failures) },
  arguments: [1, 1],
  outlivesReader: true,
  async run(context) {
    const [event = ''] = context.positionals;
    if (!isEvent(event)) throw new UsageError(`EVENT must be one of: ${Object.keys(triggers).join(', ')}`);
    const code = choice(context, 'code', Object.keys(failures) as (keyof typeof failures)[]);
    if (code !== undefined && event !== 'message.failed') throw new UsageError('--code is for message.failed');
    const tidings = context.tidings();
    const to = code === undefined ? triggers[event] : failures[code];
    const test: NewMessage = { to, channel: 'sms', content: { text: `tidings trigger ${event}` } };
    const sent = await sendOrUndecided(tidings, test, { signal: context.signal, idempotencyKey: randomUUID() }, 'see tidings messages');
    const status = event.slice('message.'.length);
    const wanted = event === 'message.queued' ? ['queued', 'sent'] : [status];
    const message = await waitFor(context, tidings, sent, { wanted });
    if (status !== 'failed' && message.status === 'failed') throw new Failed(`the message failed: ${message.error_code ?? ''}`);
  },
};
