/** The carrier as the bench sees it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CarrierNews, CarrierOrder, Reported } from './carrier-process.js';
import { type Cleanup, stopChild } from './cleanup.js';

export interface Carrier {
  /** Settings of a service whose sms go by it. */
  env: Record<string, string>;
  /** Reports on all that was taken so far. */
  report(perSecond: number): Promise<Reported>;
}

const readyMsMax = 20_000;
const reportMsMax = 300_000;
const authToken = 'auth-token-of-the-bench';

/** Starts it on a free port of loopback. It ends with this process. */
export async function startCarrier(cleanup: Cleanup): Promise<Carrier> {
  const child = fork(join(import.meta.dirname, 'carrier-process.js'), { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  cleanup.add(() => stopChild(child));
  const [{ port }] = (await once(child, 'message', { signal: AbortSignal.timeout(readyMsMax) })) as [{ port: number }];
  return {
    env: {
      PROVIDER_SMS: 'twilio',
      TWILIO_ACCOUNT_SID: 'AC0123456789abcdef0123456789abcdef',
      TWILIO_AUTH_TOKEN: authToken,
      TWILIO_FROM: '+15005550100',
      TWILIO_API_BASE: `http://127.0.0.1:${port}`,
    },
    async report(perSecond) {
      child.send({ perSecond, authToken } satisfies CarrierOrder);
      const [news] = (await once(child, 'message', { signal: AbortSignal.timeout(reportMsMax) })) as [CarrierNews];
      if (!('reported' in news)) throw new Error('the carrier told something else');
      return news.reported;
    },
  };
}
