/** Structured logs on standard output. Allow-list: a line contains ids, routes and statuses, never bodies, addresses or secrets. */
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';

export type { Logger };

/**
 * A logger for one process.
 * @param processName the name of the process: `api`, `worker`, …
 * @param level the least important level that is written
 */
export function createLogger(processName: string, level: string): Logger {
  const options: LoggerOptions = {
    level,
    base: { process: processName },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    // A second protection: no call passes these fields, and if one ever does, they are not printed.
    redact: { paths: [...secretFields, ...secretFields.map((name) => `*.${name}`), '*["x-api-key"]'], censor: '[redacted]' },
    serializers: { err: serializeError },
  };
  return pino(options, standardOutput());
}

const secretFields = ['authorization', 'password', 'secret', 'token', 'key', 'to', 'text', 'cookie'];
/** The size of the buffer while standard output accepts nothing. Later lines are lost. */
const waitingBytesMax = 1 << 20;

/**
 * Without a listener, an error of the stream ends the process: a full disk must cost lines of the log only. Writes are synchronous, which
 * costs no more CPU than the thread pool. Otherwise the library writes the rest when the process ends, and retries for as long as the disk
 * is full.
 */
function standardOutput(): DestinationStream {
  const stream = pino.destination({ dest: 1, sync: true, maxLength: waitingBytesMax });
  stream.on('error', () => undefined);
  return stream;
}

/** Name, message, code and stack only. In other enumerable fields, drivers store statements with their parameters. */
function serializeError(err: unknown): unknown {
  if (!(err instanceof Error)) return { message: String(err) };
  const { name, message, stack } = err;
  const code = 'code' in err ? err.code : undefined;
  return { name, message, code, stack, ...(err.cause === undefined ? {} : { cause: serializeError(err.cause) }) };
}
