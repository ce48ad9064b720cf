/** The console output of the launcher: one line per step with its duration, with colours only in a terminal. */
import { styleText } from 'node:util';

export class Output {
  readonly #coloured: boolean;

  constructor(private readonly stream: NodeJS.WriteStream) {
    this.#coloured = stream.isTTY === true && stream.hasColors();
    // A closed pipe (`npm start | head`) must not end the launcher before its child processes.
    stream.on('error', () => undefined);
  }

  /**
   * Runs `work` and prints the text with the duration. Prints nothing if it fails.
   * @returns the result of `work`
   */
  async step<Result>(work: () => Promise<Result>, text: (result: Result) => string): Promise<Result> {
    const startedAt = performance.now();
    const result = await work();
    this.plain(`${this.#paint('green', '✓')} ${text(result)} ${this.#paint('dim', `(${formatSeconds(performance.now() - startedAt)})`)}`);
    return result;
  }

  /** Prints a notice. */
  note(text: string): void {
    this.plain(`${this.#paint('dim', '–')} ${text}`);
  }

  /** Prints an error. */
  fault(text: string): void {
    this.plain(`${this.#paint('red', '✗')} ${text}`);
  }

  plain(text: string): void {
    this.stream.write(`${text}\n`);
  }

  #paint(style: 'green' | 'red' | 'dim', text: string): string {
    return this.#coloured ? styleText(style, text) : text;
  }
}

/** `900` → `0.9 s`, `312_000` → `5 min 12 s`. */
export function formatSeconds(durationMs: number): string {
  const tenths = (durationMs / 1000).toFixed(1);
  if (Number(tenths) < 60) return `${tenths} s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
