/** `tidings messages`, `tidings timeline` and `tidings cancel` */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ListedMessage, MessageFilters } from '../client/index.js';
import { channels, choice, type Command, type Context, inWords, statuses, takeOnly, textOption, wholeNumber } from './command.js';
import { pollMs } from './follow.js';
import { plain, type Terminal } from './terminal.js';

/** Each filter of the list with its option; null: there is none. The compiler names a filter of the API that is missing. */
const optionOfFilter: Readonly<Record<Exclude<keyof MessageFilters, 'limit'>, string | null>> = {
  status: 'status',
  channel: 'channel',
  to: 'to',
  reference: 'reference',
  batch_id: 'batch',
  start_date: null,
  end_date: null,
};
const filterOptions = Object.values(optionOfFilter).filter((option) => option !== null);
const offers: Readonly<Record<string, readonly string[]>> = { status: statuses, channel: channels };

export const messages: Command = {
  usage: '[ID] [options]',
  summary: 'list messages, or show one',
  help: `  --status NAME     ${inWords(statuses)}
  --channel NAME    ${inWords(channels)}
  --to RECIPIENT, --reference TEXT, --batch ID
  --limit NUMBER    how many (default 20)`,
  options: Object.fromEntries([...filterOptions, 'limit'].map((name) => [name, { type: 'string' }])),
  offers,
  arguments: [0, 1],
  async run(context) {
    const { terminal, signal, positionals } = context;
    const [id] = positionals;
    if (id !== undefined) {
      takeOnly(context, [], 'messages ID');
      const message = await context.tidings().messages.get(id, { signal });
      return terminal.print(JSON.stringify(message, null, 2), message);
    }
    const limit = wholeNumber(context, 'limit', 1_000_000) ?? 20;
    const filters = { ...filtersOf(context), limit: Math.min(limit, 100) };
    let count = 0;
    for await (const message of context.tidings().messages.list(filters, { signal })) {
      terminal.print(line(terminal, message), message);
      count += 1;
      if (count === limit) return;
    }
    if (count === 0) terminal.note('no messages');
  },
};

/** @throws UsageError for a value that is not among those offered */
function filtersOf(context: Context): MessageFilters {
  const given = Object.entries(optionOfFilter).map(([filter, option]) => [filter, option === null ? undefined : valueOf(context, option)]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function valueOf(context: Context, option: string): string | undefined {
  const values = offers[option];
  return values === undefined ? textOption(context, option) : choice(context, option, values);
}

function line(terminal: Terminal, message: ListedMessage): string {
  const { id, created_at, channel, status, to, content, error_code } = message;
  const text = plain(content?.text ?? '');
  const shown = text.length > 40 ? `${text.slice(0, 39)}…` : text;
  const what = error_code === null ? shown : `${terminal.style('red', error_code)} ${shown}`;
  return `${id}  ${created_at.slice(0, 19)}Z  ${terminal.status(status)} ${channel.padEnd(8)}  ${plain(to ?? '').padEnd(16)}  ${what}`;
}

export const timeline: Command = {
  usage: 'ID [--follow]',
  summary: 'show every step of a message',
  help: `  --follow   continue until the message waits for nothing more`,
  options: { follow: { type: 'boolean' } },
  arguments: [1, 1],
  async run(context) {
    const { terminal, signal, values } = context;
    const [id = ''] = context.positionals;
    const tidings = context.tidings();
    const seen = new Set<string>();
    for (;;) {
      const found = await tidings.messages.timeline(id, { signal });
      for (const step of found.steps) {
        const key = JSON.stringify(step);
        if (seen.has(key)) continue;
        seen.add(key);
        terminal.print(`${step.at}  ${terminal.style('bold', step.type.padEnd(16))}  ${plain(step.text)}`, step);
      }
      const waiting = found.waiting_for;
      if (waiting === null) return;
      if (values.follow !== true) return terminal.note(`waiting: ${plain(waiting.text)}`);
      await sleep(pollMs, undefined, { signal });
    }
  },
};

export const cancel: Command = {
  usage: 'ID',
  summary: 'cancel a message',
  help: `  It has no options.

A message that was handed off can no longer be cancelled. The credits are refunded.`,
  arguments: [1, 1],
  async run({ tidings, terminal, signal, positionals: [id = ''] }) {
    const message = await tidings().messages.cancel(id, { signal });
    terminal.print(`cancelled ${message.id}`, message);
  },
};
