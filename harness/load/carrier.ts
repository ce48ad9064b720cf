/** The carrier as the bench sees it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CarrierNews, CarrierOrder, Reported } from './carrier-process.js';
import { type Cleanup, stopChild } from '../stage/cleanup.js';

export interface Carrier {
  /** Settings of a service that has an account with it. */
  env: Record<string, string>;
  /** Reports on all that was taken so far. */
  report(perSecond: number): Promise<Reported>;
  /** It takes messages and answers nothing, or answers again. */
  hang(hangs: boolean): void;
  /** The messages that it took, each as often as it did. */
  takenIds(): Promise<string[]>;
}

const readyMsMax = 20_000;
const answerMsMax = 300_000;
const authToken = 'auth-token-of-the-bench';

/**
 * Starts it on a free port of loopback. It ends with this process.
 * @param prefix of its settings, where the account has a name of its own
 */
export async function startCarrier(cleanup: Cleanup, prefix = ''): Promise<Carrier> {
  const child = fork(join(import.meta.dirname, 'carrier-process.js'), { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  cleanup.add(() => stopChild(child));
  const news = async (withinMs: number) => {
    const [told] = (await once(child, 'message', { signal: AbortSignal.timeout(withinMs) })) as [CarrierNews];
    return told;
  };
  const order = (what: CarrierOrder) => child.send(what);
  const started = await news(readyMsMax);
  if (!('port' in started)) throw new Error('the carrier told something else');
  return {
    env: {
      [`${prefix}TWILIO_ACCOUNT_SID`]: 'AC0123456789abcdef0123456789abcdef',
      [`${prefix}TWILIO_AUTH_TOKEN`]: authToken,
      [`${prefix}TWILIO_FROM`]: '+15005550100',
      [`${prefix}TWILIO_API_BASE`]: `http://127.0.0.1:${started.port}`,
    },
    async report(perSecond) {
      order({ kind: 'report', perSecond, authToken });
      const told = await news(answerMsMax);
      if (!('reported' in told)) throw new Error('the carrier told something else');
      return told.reported;
    },
    hang: (hangs) => void order({ kind: 'hang', hangs }),
    async takenIds() {
      order({ kind: 'tell' });
      const told = await news(answerMsMax);
      if (!('taken' in told)) throw new Error('the carrier told something else');
      return told.taken.map((url) => new URL(url).searchParams.get('message_id') ?? '');
    },
  };
}
