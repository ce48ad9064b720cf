/** `tidings batches` */
import type { Batch } from '../client/index.js';
import { type Command, UsageError } from './command.js';
import type { Terminal } from './terminal.js';

const verbs = ['pause', 'resume', 'cancel'] as const;
const shownMax = 20;

export const batches: Command = {
  usage: '[pause ID | resume ID | cancel ID]',
  summary: 'list, pause, resume and cancel batches',
  help: `  It has no options.

Without an action it lists the newest ${shownMax}. A paused batch hands off nothing more.
A cancel refunds what was not handed off.`,
  offers: { '': verbs },
  arguments: [0, 2],
  async run({ tidings, terminal, signal, positionals: [name, id] }) {
    if (name !== undefined) {
      const verb = verbs.find((each) => each === name);
      if (verb === undefined || id === undefined) throw new UsageError(`usage: tidings batches ${batches.usage}`);
      const batch = await tidings().batches[verb](id, { signal });
      return terminal.print(line(terminal, batch), batch);
    }
    const { items } = await tidings().batches.list({ limit: shownMax }, { signal }).page();
    for (const batch of items) terminal.print(line(terminal, batch), batch);
    if (items.length === 0) terminal.note('no batches');
  },
};

function line(terminal: Terminal, { id, created_at, status, channel, accepted, counts }: Omit<Batch, 'errors'>): string {
  const { queued, failed } = counts;
  const shown = `${accepted} accepted, ${queued} queued, ${failed} failed`;
  return `${id}  ${created_at.slice(0, 19)}Z  ${terminal.status(status)} ${channel.padEnd(8)}  ${shown}`;
}
