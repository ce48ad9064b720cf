/** The file of a history: one JSON object per line. What the lines say is in records.ts. */
import { createWriteStream, readFileSync, type WriteStream } from 'node:fs';
import type { Fact, HistoryRecord } from './records.js';

/** Writes the records of a run. */
export interface HistoryWriter {
  /** Adds the time to the fact and appends it. Never waits. @returns the time */
  append(fact: Fact): number;
  /** Resolves when all appended records are in the file. */
  flush(): Promise<void>;
  /** The same. After it, no record can be appended. */
  close(): Promise<void>;
}

/** Starts a history in a new file. The records are in the order of `append`. */
export function openHistory(path: string): HistoryWriter {
  const file: WriteStream = createWriteStream(path, { flags: 'w' });
  let failure: Error | undefined;
  file.on('error', (error) => {
    failure = error;
  });
  let last = 0;
  const flush = () =>
    new Promise<void>((resolve, reject) => {
      file.write('', (error) => {
        const problem = failure ?? error;
        if (problem) reject(problem);
        else resolve();
      });
    });
  return {
    append: (fact) => {
      last = Math.max(last, Date.now()); // keeps the times increasing if the machine's clock is set back
      file.write(`${JSON.stringify({ at: last, ...fact })}\n`);
      return last;
    },
    flush,
    close: async () => {
      await flush();
      await new Promise<void>((resolve) => file.end(resolve));
    },
  };
}

/** A last line without its end, from a process that was killed, is left out. @throws SyntaxError for a line that is not JSON */
export function readHistory(path: string): HistoryRecord[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line) as HistoryRecord);
}

const tokenForm = /\btk[0-9a-z]{4,32}\b/;

/** A token for the text of a message: `tk` and, in base 36, the seed of the run and a number that the caller increments. */
export const newToken = (seed: number, number: number): string => `tk${seed.toString(36)}z${number.toString(36).padStart(6, '0')}`;

/** The token in a text; null if there is none. */
export const tokenIn = (text: string): string | null => tokenForm.exec(text)?.[0] ?? null;
