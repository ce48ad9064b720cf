/** Reads which API key a command means. A complete key is never printed: not in a result, and not in an error. */
import { createInterface } from 'node:readline';
import { isUuid } from '../../models/rules/values/text.js';
import { UsageError } from './command.js';

/** `tidings_` and the four characters that lists of keys show. */
const beginning = /^tidings_[0-9A-Za-z]{4}/;

/**
 * The id, the key or its beginning. `-` means the first line of the standard input, because arguments stay in the history of the shell.
 * @throws UsageError
 */
export async function readKey(given: string): Promise<string> {
  const text = given === '-' ? await firstLineOfInput() : given.trim();
  if (!isUuid(text) && !beginning.test(text)) {
    throw new UsageError(
      'The key must be the id of an API key, a complete key, or its beginning such as tidings_Ab12; - reads it from the standard input',
    );
  }
  return text;
}

function firstLineOfInput(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  return new Promise((done) => {
    lines.once('line', (line) => {
      done(line.trim());
      lines.close();
    });
    lines.once('close', () => done('')); // the input was empty
  });
}
