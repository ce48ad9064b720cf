/** Structured logs on standard output. Allow-list: a line names ids, routes and statuses, never bodies, addresses or secrets. */
import { type Logger, pino } from 'pino';

export type { Logger };

/**
 * A logger for one process.
 * @param process_ which process is speaking: `api`, `worker`, …
 * @param level least important level to write
 */
export function createLogger(process_: string, level: string): Logger {
  return pino({
    level,
    base: { process: process_ },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      // The second wall: no call passes these, and if one ever does they are not printed.
      paths: [
        'authorization',
        'cookie',
        'password',
        'secret',
        'token',
        'key',
        'to',
        'text',
        '*.authorization',
        '*["x-api-key"]',
        '*.password',
        '*.secret',
        '*.token',
        '*.key',
        '*.to',
        '*.text',
      ],
      censor: '[redacted]',
    },
    serializers: { err: serializeError },
  });
}

/** Name, message, code and stack; not the enumerable rest, in which drivers keep statements with their parameters. */
function serializeError(err: unknown): unknown {
  if (!(err instanceof Error)) return { message: String(err) };
  const { name, message, stack } = err;
  const code = 'code' in err ? err.code : undefined;
  return { name, message, code, stack, ...(err.cause === undefined ? {} : { cause: serializeError(err.cause) }) };
}
