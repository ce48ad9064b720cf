/** The webhook receiver as the bench sees it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { issueCertificate, makeAuthority } from '../../local/tls/certificates.js';
import { type Cleanup, stopChild } from '../stage/cleanup.js';
import { Marks } from '../measure/marks.js';
import type { Arrival, Manner, ReceiverNews, ReceiverOrder } from './receiver-process.js';

/** The events of a message that is delivered. */
export const happyEvents = ['message.queued', 'message.sent', 'message.delivered'] as const;

/** One address of the receiver. */
export interface Endpoint {
  url: string;
  /** Genuine requests, in the order in which they came. */
  arrivals: readonly Arrival[];
  /** Sets the secret by which it verifies. */
  trust(secret: string): void;
  /** How it answers from now on; at once and with 200 when nothing was said. */
  answer(manner: Manner): void;
}

/** Itself the endpoint that most cases use. */
export interface Receiver extends Endpoint {
  /** PEM file of the authority that the service has to trust. */
  authorityFile: string;
  /** Requests so far, and those of them whose signatures did not fit. */
  counts: { received: number; forged: number };
  /** Genuine requests by message and event. */
  seen: Map<string, Map<string, number>>;
  /** Another address of it. */
  endpoint(name: string): Endpoint;
  /** Resolves when all events of a delivered message have come. */
  until(messageId: string): Promise<void>;
}

const readyMsMax = 20_000;

/** Starts it on a free port of loopback. It ends with this process. */
export async function startReceiver(folder: string, cleanup: Cleanup): Promise<Receiver> {
  const authority = await makeAuthority('Tidings bench authority', 2);
  const certificate = await issueCertificate(authority, { addresses: ['127.0.0.1'], days: 2 });
  const authorityFile = join(folder, 'authority.pem');
  await writeFile(authorityFile, authority.cert);
  const child = fork(join(import.meta.dirname, 'receiver-process.js'), { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  cleanup.add(() => stopChild(child));
  const order = (what: ReceiverOrder) => child.send(what);
  order({ certificate });
  const [{ port }] = (await once(child, 'message', { signal: AbortSignal.timeout(readyMsMax) })) as [{ port: number }];

  const complete = new Marks('told to the receiver in all its events');
  const counts = { received: 0, forged: 0 };
  const seen: Receiver['seen'] = new Map();
  const arrived = new Map<string, Arrival[]>();
  child.on('message', (news: ReceiverNews) => {
    for (const [path, arrival] of 'arrivals' in news ? news.arrivals : []) {
      counts.received += 1;
      if (!arrival.isGenuine) {
        counts.forged += 1;
        continue;
      }
      arrived.get(path)?.push(arrival);
      if (count(seen, arrival)) complete.note(arrival.messageId);
    }
  });
  const endpoint = (name: string): Endpoint => {
    const path = `/${name}`;
    const arrivals: Arrival[] = [];
    arrived.set(path, arrivals);
    return {
      url: `https://127.0.0.1:${port}${path}`,
      arrivals,
      trust: (secret) => void order({ path, secret }),
      answer: (manner) => void order({ path, manner }),
    };
  };
  return { ...endpoint('hook'), authorityFile, counts, seen, endpoint, until: (messageId) => complete.of(messageId) };
}

/** Counts an event and tells whether its message has all of them now. */
function count(seen: Receiver['seen'], { messageId, event }: Arrival): boolean {
  const events = seen.get(messageId) ?? new Map<string, number>();
  seen.set(messageId, events.set(event, (events.get(event) ?? 0) + 1));
  return happyEvents.every((name) => events.has(name));
}
