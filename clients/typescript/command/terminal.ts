/** What the command writes. Results go to standard output, everything else to standard error, so that results can be piped. */

/** The codes that begin and end a style. `styleText` of Node is not there before Node 20.12. */
const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const;
type Style = keyof typeof codes;

export interface Streams {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

const statusStyles: Readonly<Record<string, Style>> = { queued: 'yellow', sent: 'cyan', delivered: 'green', read: 'green', failed: 'red' };

export class Terminal {
  readonly isInteractive: boolean;
  #isUnread = false;

  constructor(
    readonly streams: Streams,
    /** One JSON text in each line of standard output, for programs. */
    readonly isJson: boolean,
    private readonly noColor: boolean,
  ) {
    this.isInteractive = streams.stdin.isTTY && streams.stderr.isTTY;
  }

  /** A result: the text for people, or the value for programs. Where it cannot be written, as on a full disk, standard error gets it. */
  print(text: string, value: unknown): void {
    const result = this.isJson ? JSON.stringify(value) : text;
    this.streams.stdout.write(`${result}\n`, (error) => {
      if (!error) return;
      this.#isUnread ||= isNoReader(error);
      if (!this.#isUnread) this.note(result);
    });
  }

  /** A remark for people. */
  note(text: string): void {
    this.streams.stderr.write(`${text}\n`);
  }

  /** Replaces the last line on a terminal; nothing elsewhere. */
  progress(text: string): void {
    if (this.streams.stderr.isTTY) this.streams.stderr.write(`\r\u001b[2K${text}`);
  }

  style(style: Style, text: string): string {
    const [begin, end] = codes[style];
    return this.streams.stdout.isTTY && !this.noColor ? `\u001b[${begin}m${text}\u001b[${end}m` : text;
  }

  /** The status, padded, in its colour. */
  status(status: string): string {
    return this.style(statusStyles[status] ?? 'dim', status.padEnd(9));
  }
}

/** The error of a pipe that nobody reads any more, as after `| head`. */
export const isNoReader = (error: NodeJS.ErrnoException): boolean => error.code === 'EPIPE';

/** Text of others on one line of the terminal: control characters could change what is displayed there. */
export const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ');

/** A number and its unit: `1 credit`, `2 credits`. */
export const counted = (number: number, unit: string): string => `${number} ${unit}${number === 1 ? '' : 's'}`;
