/** The handle of the carrier process. */
import { join } from 'node:path';
import { ask, nextMessage, startChild } from '../stage/child.js';
import type { Cleanup } from '../stage/cleanup.js';
import type { CarrierCommand, Reported } from './carrier-process.js';

export interface Carrier {
  /** The settings of a service with an account at this carrier. */
  env: Record<string, string>;
  /** Reports on all messages accepted so far. */
  report(perSecond: number): Promise<Reported>;
  /** Accepts messages without a response, or responds again. */
  hang(hangs: boolean): void;
  /** The ids of the accepted messages, including duplicates. */
  takenIds(): Promise<string[]>;
}

const reportMsMax = 300_000;
const authToken = 'auth-token-of-the-bench';

/**
 * Starts the carrier on a free loopback port. It ends with this process.
 * @param prefix the prefix of its settings, for an account with a name
 */
export async function startCarrier(cleanup: Cleanup, prefix = ''): Promise<Carrier> {
  const child = startChild(join(import.meta.dirname, 'carrier-process.js'), cleanup);
  const port = await nextMessage<number>(child);
  return {
    env: {
      [`${prefix}TWILIO_ACCOUNT_SID`]: 'AC0123456789abcdef0123456789abcdef',
      [`${prefix}TWILIO_AUTH_TOKEN`]: authToken,
      [`${prefix}TWILIO_FROM`]: '+15005550100',
      [`${prefix}TWILIO_API_BASE`]: `http://127.0.0.1:${port}`,
    },
    report: (perSecond) => ask(child, { kind: 'report', perSecond, authToken } satisfies CarrierCommand, reportMsMax),
    hang: (hangs) => void child.send({ kind: 'hang', hangs } satisfies CarrierCommand),
    async takenIds() {
      const urls = await ask<string[]>(child, { kind: 'list' } satisfies CarrierCommand);
      return urls.map((url) => new URL(url).searchParams.get('message_id') ?? '');
    },
  };
}
