/** The handle of the carrier process. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CarrierNews, CarrierOrder, Reported } from './carrier-process.js';
import { type Cleanup, stopChild } from '../stage/cleanup.js';

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

const readyMsMax = 20_000;
const answerMsMax = 300_000;
const authToken = 'auth-token-of-the-bench';

/**
 * Starts the carrier on a free loopback port. It ends with this process.
 * @param prefix the prefix of its settings, for an account with a name
 */
export async function startCarrier(cleanup: Cleanup, prefix = ''): Promise<Carrier> {
  const child = fork(join(import.meta.dirname, 'carrier-process.js'), { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  cleanup.add(() => stopChild(child));
  const news = async (withinMs: number) => {
    const [message] = (await once(child, 'message', { signal: AbortSignal.timeout(withinMs) })) as [CarrierNews];
    return message;
  };
  const order = (what: CarrierOrder) => child.send(what);
  const started = await news(readyMsMax);
  if (!('port' in started)) throw new Error('the carrier sent something else');
  return {
    env: {
      [`${prefix}TWILIO_ACCOUNT_SID`]: 'AC0123456789abcdef0123456789abcdef',
      [`${prefix}TWILIO_AUTH_TOKEN`]: authToken,
      [`${prefix}TWILIO_FROM`]: '+15005550100',
      [`${prefix}TWILIO_API_BASE`]: `http://127.0.0.1:${started.port}`,
    },
    async report(perSecond) {
      order({ kind: 'report', perSecond, authToken });
      const message = await news(answerMsMax);
      if (!('reported' in message)) throw new Error('the carrier sent something else');
      return message.reported;
    },
    hang: (hangs) => void order({ kind: 'hang', hangs }),
    async takenIds() {
      order({ kind: 'list' });
      const message = await news(answerMsMax);
      if (!('taken' in message)) throw new Error('the carrier sent something else');
      return message.taken.map((url) => new URL(url).searchParams.get('message_id') ?? '');
    },
  };
}
