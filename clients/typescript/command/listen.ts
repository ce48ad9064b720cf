/** `tidings listen`: events on a machine that the service cannot reach. */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { StreamEvent } from '../client/index.js';
import { type Command, eventTypes, textOption, UsageError } from './command.js';
import { readSettings } from './settings.js';
import { plain, type Terminal } from './terminal.js';

/** As long as the service waits for a receiver. */
const timeoutMs = 10_000;

export const listen: Command = {
  usage: '[--forward URL] [options]',
  summary: 'show events as they happen, and post them to a local receiver',
  help: `  --forward URL    post each event there, signed as a webhook is, for example
                   http://localhost:4000/hook
  --secret SECRET  whsec_… for the signature (default: a new one, displayed)
  --events LIST    only these, such as message.delivered,message.failed

Reconnects after a lost connection. A failed request is not repeated: use a
webhook if you need retries.`,
  options: { forward: { type: 'string' }, secret: { type: 'string' }, events: { type: 'string' } },
  offers: { events: eventTypes },
  arguments: [0, 0],
  async run(context) {
    const { terminal, signal } = context;
    const forward = forwardOf(textOption(context, 'forward'));
    const secret = secretOf(textOption(context, 'secret'));
    const wanted = wantedOf(textOption(context, 'events'));
    const { baseUrl } = readSettings(context.env);
    const hints = forward === undefined ? undefined : new Hints(terminal, forward);
    let isFirst = true;
    const onOpen = () => {
      // After the first connection the key is known to be right.
      if (isFirst && forward !== undefined) terminal.note(`secret: ${secret}`);
      isFirst = false;
      terminal.note(`listening to ${baseUrl}${forward === undefined ? '' : `, posting to ${forward}`}`);
    };
    for await (const event of context.tidings().stream({ signal, onOpen })) {
      if (event.event === 'stream.reset') {
        terminal.note('events may be missing: the connection was lost for too long');
        continue;
      }
      if (wanted?.includes(event.event) === false) continue;
      const answer = forward === undefined ? undefined : await post(forward, secret, event, signal);
      show(terminal, event, answer);
      if (answer !== undefined) hints?.give(answer);
    }
  },
};

function secretOf(given: string | undefined): string {
  const secret = given ?? `whsec_${randomBytes(32).toString('base64')}`;
  if (/^whsec_[\w+/=-]{4,}$/.test(secret)) return secret;
  throw new UsageError(secret === '' ? '--secret is empty' : '--secret must be whsec_ and base64');
}

/** Another name would match no event, and nothing would ever be shown. */
function wantedOf(given: string | undefined): readonly string[] | undefined {
  const wanted = given?.split(',');
  if (wanted?.every((name) => (eventTypes as readonly string[]).includes(name)) !== false) return wanted;
  throw new UsageError(`--events must be a comma-separated list of: ${eventTypes.join(', ')}`);
}

/** A URL as it is given, or a port or host of this machine: `8080`, `localhost:8080/hook`. */
function forwardOf(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const address = /^\d{1,5}$/.test(given) ? `localhost:${given}/` : given;
  const url = address.includes('://') ? address : `http://${address}`;
  if (URL.canParse(url) && /^https?:/.test(url)) return url;
  throw new UsageError('--forward must be a URL, for example http://localhost:8080/');
}

/** What the receiver answered, or why it did not. */
type Answer = { status: number; ms: number } | { error: string };

/** Says what to do about a failing receiver, each thing once. */
class Hints {
  readonly #given = new Set<string>();

  constructor(
    private readonly terminal: Terminal,
    private readonly url: string,
  ) {}

  give(answer: Answer): void {
    const hint = 'error' in answer ? hintsOfErrors[answer.error] : hintsOfStatuses[answer.status];
    if (hint === undefined || this.#given.has(hint)) return;
    this.#given.add(hint);
    this.terminal.note(`  → ${this.url}: ${hint}`);
  }
}

const otherSecret = 'the receiver refuses the signature. Give it the secret displayed above, or give its secret with --secret';
const hintsOfStatuses: Readonly<Partial<Record<number, string>>> = {
  400: otherSecret,
  401: otherSecret,
  403: otherSecret,
  404: 'the receiver has no such path',
  405: 'the receiver takes no POST on this path',
};
const hintsOfErrors: Readonly<Partial<Record<string, string>>> = {
  ECONNREFUSED: 'nothing listens there. Start the receiver, or correct the port',
  ENOTFOUND: 'there is no such host',
};

async function post(url: string, secret: string, event: StreamEvent, signal: AbortSignal): Promise<Answer> {
  const since = Date.now();
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const headers = signedHeaders(event.event, event.raw, secret, Math.floor(since / 1000));
    const init = { method: 'POST', headers, body: event.raw, redirect: 'manual', signal: AbortSignal.any([signal, timeout]) } as const;
    const response = await fetch(url, init);
    await response.arrayBuffer();
    return { status: response.status, ms: Date.now() - since };
  } catch (error) {
    signal.throwIfAborted();
    const { code } = Object((error as Error).cause) as { code?: string };
    return { error: timeout.aborted ? `no response within ${timeoutMs / 1000} seconds` : (code ?? (error as Error).message) };
  }
}

/**
 * The headers of a webhook (docs/contract/webhooks.md, Signature). The id follows from the bytes of the event: it is the same for the same event,
 * as with a webhook.
 */
function signedHeaders(type: string, body: string, secret: string, timestamp: number): Record<string, string> {
  const id = `evt_${createHash('sha256').update(body).digest('hex').slice(0, 32)}`;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Tidings-Listen/1.0',
    'X-Service-Event': type,
    'X-Service-Signature': createHmac('sha256', secret).update(body).digest('hex'),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  };
}

function show(terminal: Terminal, { event, timestamp, data, raw }: StreamEvent, answer: Answer | undefined): void {
  const { message_id, recipient } = data as { message_id: string; recipient: string };
  const result = answer === undefined ? '' : resultOf(terminal, answer);
  const value = { ...(JSON.parse(raw) as object), ...(answer === undefined ? {} : { forwarded: answer }) };
  terminal.print(`${timestamp}  ${event.padEnd(17)}  ${message_id}  ${plain(recipient)}  ${result}`.trimEnd(), value);
}

function resultOf(terminal: Terminal, answer: Answer): string {
  if ('error' in answer) return terminal.style('red', plain(answer.error));
  const { status, ms } = answer;
  return `${terminal.style(status >= 200 && status < 300 ? 'green' : 'red', String(status))} ${ms} ms`;
}
