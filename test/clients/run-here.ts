/** Runs the command `tidings` inside the test process, which takes milliseconds: a process of its own takes half a second. */
import { PassThrough, Writable } from 'node:stream';
import { run } from '../../clients/typescript/command/run.js';
import type { Streams } from '../../clients/typescript/command/terminal.js';
import type { Ended } from './run-command.js';

export interface Surroundings {
  /** All of standard input; without it, standard input stays open. */
  input?: string | Buffer;
  isTTY?: boolean;
  /** Standard output is closed after this number of writes, as by `head`. */
  readsOutput?: number;
  /** The code of the error with which each write fails, such as ENOSPC. */
  outputFault?: string;
  remarksFault?: string;
  /** Called with each text on standard output, before the command goes on. */
  onOutput?: (text: string) => void;
}

export interface RunningHere {
  stdin: PassThrough;
  stderr: () => string;
  /** What Ctrl-C does while the terminal is not in raw mode. */
  interrupt: () => void;
  ended: Promise<Ended>;
}

/** Starts it with this environment. */
export function startHere(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { input, isTTY = false, readsOutput, outputFault, remarksFault, onOutput }: Surroundings = {},
): RunningHere {
  const interrupt = new AbortController();
  const stdin = Object.assign(new PassThrough(), { isTTY, setRawMode: () => stdin });
  if (input !== undefined) stdin.end(input);
  const stdout = captured(isTTY, outputFault === undefined ? readsOutput : 0, onOutput, outputFault);
  const stderr = captured(isTTY, remarksFault === undefined ? undefined : 0, undefined, remarksFault);
  const streams = { stdin, stdout: stdout.stream, stderr: stderr.stream } as unknown as Streams;
  const ended = run(args, streams, env, interrupt.signal).then((code) => ({ code, stdout: stdout.text(), stderr: stderr.text() }));
  return { stdin, stderr: stderr.text, interrupt: () => interrupt.abort(new Error('interrupted')), ended };
}

/** Runs it to its end. */
export const runHere = (args: readonly string[], env: NodeJS.ProcessEnv, surroundings: Surroundings = { input: '' }): Promise<Ended> =>
  startHere(args, env, surroundings).ended;

function captured(
  isTTY: boolean,
  writesMax = Number.POSITIVE_INFINITY,
  onText: Surroundings['onOutput'] = () => undefined,
  fault = 'EPIPE',
) {
  let text = '';
  let writes = 0;
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      writes += 1;
      if (writes > writesMax) return done(Object.assign(new Error(`${fault}: write`), { code: fault }));
      text += chunk;
      onText(chunk);
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY }), text: () => text };
}
