/** Structured logs on standard output. Allow-list: a line names ids, routes and statuses, never bodies, addresses or secrets. */
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';

export type { Logger };

/**
 * A logger for one process.
 * @param process_ which process is speaking: `api`, `worker`, …
 * @param level least important level to write
 */
export function createLogger(process_: string, level: string): Logger {
  const options: LoggerOptions = {
    level,
    base: { process: process_ },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    // The second wall: no call passes these, and if one ever does they are not printed.
    redact: { paths: [...secretFields, ...secretFields.map((name) => `*.${name}`), '*["x-api-key"]'], censor: '[redacted]' },
    serializers: { err: serializeError },
  };
  return pino(options, standardOutput());
}

const secretFields = ['authorization', 'password', 'secret', 'token', 'key', 'to', 'text', 'cookie'];
/** So much waits for its turn while standard output takes nothing; lines after that are lost. */
const waitingBytesMax = 1 << 20;

/**
 * A disk that is full costs lines of the log, not the process: an error that nobody hears ends it. Written at once, which costs no more
 * CPU than by the thread pool: the library writes what is left when the process ends, and tries for as long as the disk is full.
 */
function standardOutput(): DestinationStream {
  const stream = pino.destination({ dest: 1, sync: true, maxLength: waitingBytesMax });
  stream.on('error', () => undefined);
  return stream;
}

/** Name, message, code and stack; not the enumerable rest, in which drivers keep statements with their parameters. */
function serializeError(err: unknown): unknown {
  if (!(err instanceof Error)) return { message: String(err) };
  const { name, message, stack } = err;
  const code = 'code' in err ? err.code : undefined;
  return { name, message, code, stack, ...(err.cause === undefined ? {} : { cause: serializeError(err.cause) }) };
}
