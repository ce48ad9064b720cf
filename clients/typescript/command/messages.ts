/** `tidings messages` and `tidings timeline` */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ListedMessage } from '../client/index.js';
import { channels, choice, type Command, inWords, statuses, textOption, wholeNumber } from './command.js';
import { pollMs } from './follow.js';
import { plain, type Terminal } from './terminal.js';

export const messages: Command = {
  usage: '[ID] [options]',
  summary: 'list messages, or show one',
  help: `  --status NAME     ${inWords(statuses)}
  --channel NAME    ${inWords(channels)}
  --to RECIPIENT, --reference TEXT, --batch ID
  --limit NUMBER    how many (default 20)`,
  options: Object.fromEntries(['status', 'channel', 'to', 'reference', 'batch', 'limit'].map((name) => [name, { type: 'string' }])),
  offers: { status: statuses, channel: channels },
  arguments: [0, 1],
  async run(context) {
    const { terminal, signal, positionals } = context;
    const [id] = positionals;
    const limit = wholeNumber(context, 'limit', 1, 1_000_000) ?? 20;
    const status = choice(context, 'status', statuses);
    const channel = choice(context, 'channel', channels);
    const [to, reference, batch_id] = ['to', 'reference', 'batch'].map((name) => textOption(context, name));
    if (id !== undefined) {
      const message = await context.tidings().messages.get(id, { signal });
      return terminal.print(JSON.stringify(message, null, 2), message);
    }
    const filters = {
      ...(status === undefined ? {} : { status }),
      ...(channel === undefined ? {} : { channel }),
      ...(to === undefined ? {} : { to }),
      ...(reference === undefined ? {} : { reference }),
      ...(batch_id === undefined ? {} : { batch_id }),
      limit: Math.min(limit, 100),
    };
    let count = 0;
    for await (const message of context.tidings().messages.list(filters, { signal })) {
      terminal.print(line(terminal, message), message);
      count += 1;
      if (count === limit) return;
    }
    if (count === 0) terminal.note('no messages');
  },
};

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
  help: `  --follow   go on until the message waits for nothing more`,
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
