/** What the command reads from standard input. */
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Context, Interrupted, UsageError } from './command.js';

/** Reads the whole input as UTF-8. Other encodings are refused: with a wrong guess, wrong letters would be sent. @throws UsageError */
export async function readInput({ terminal, signal }: Pick<Context, 'terminal' | 'signal'>): Promise<string> {
  const bytes = await buffer(addAbortSignal(signal, terminal.streams.stdin));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageError('standard input is not in UTF-8', { cause: error });
  }
}

/** Whether the user agrees; the end of input is a no. @throws Interrupted, UsageError without a terminal */
export async function confirm({ terminal, signal }: Pick<Context, 'terminal' | 'signal'>): Promise<boolean> {
  if (!terminal.isInteractive) throw new UsageError('--yes is required without a terminal');
  const { stdin, stderr } = terminal.streams;
  const lines = createInterface({ input: stdin, output: stderr });
  const interrupted = new Promise<never>((_, reject) => {
    lines.once('SIGINT', () => reject(new Interrupted('interrupted')));
  });
  const ended = once(lines, 'close').then(() => '');
  try {
    const answer = await Promise.race([lines.question('Send? [y/N] ', { signal }), ended, interrupted]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
