/** The handle of the webhook receiver process. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { issueCertificate, makeAuthority } from '../../local/tls/certificates.js';
import { ask, startChild } from '../stage/child.js';
import type { Cleanup } from '../stage/cleanup.js';
import { Marks } from '../measure/marks.js';
import type { Arrival, Arrivals, ReceiverCommand, ResponseBehaviour } from './receiver-process.js';

/** The events of a message that is delivered. */
export const happyEvents = ['message.queued', 'message.sent', 'message.delivered'] as const;

/** One URL of the receiver. */
export interface Endpoint {
  url: string;
  /** Requests with valid signatures, in the order of arrival. */
  arrivals: readonly Arrival[];
  /** Sets the secret for the verification. */
  trust(secret: string): void;
  /** Sets how it answers from now on. Default: immediately with 200. */
  answer(behaviour: ResponseBehaviour): void;
}

/** The receiver is also the endpoint that most cases use. */
export interface Receiver extends Endpoint {
  /** The PEM file of the certificate authority that the service must trust. */
  authorityFile: string;
  /** The number of requests, and of those with invalid signatures. */
  counts: { received: number; forged: number };
  /** Requests with valid signatures, by message and event. */
  seen: Map<string, Map<string, number>>;
  /** Another URL of the receiver. */
  endpoint(name: string): Endpoint;
  /** Resolves when all events of a delivered message have arrived. */
  until(messageId: string): Promise<void>;
}

/** Starts the receiver on a free loopback port. It ends with this process. */
export async function startReceiver(folder: string, cleanup: Cleanup): Promise<Receiver> {
  const authority = await makeAuthority('Tidings bench authority', 2);
  const certificate = await issueCertificate(authority, { addresses: ['127.0.0.1'], days: 2 });
  const authorityFile = join(folder, 'authority.pem');
  await writeFile(authorityFile, authority.cert);
  const child = startChild(join(import.meta.dirname, 'receiver-process.js'), cleanup);
  const port = await ask<number>(child, { certificate } satisfies ReceiverCommand);

  const complete = new Marks('delivered to the receiver with all events');
  const counts = { received: 0, forged: 0 };
  const seen: Receiver['seen'] = new Map();
  const arrived = new Map<string, Arrival[]>();
  child.on('message', (arrivals: Arrivals) => {
    for (const [path, arrival] of arrivals) {
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
      trust: (secret) => void child.send({ path, secret } satisfies ReceiverCommand),
      answer: (behaviour) => void child.send({ path, behaviour } satisfies ReceiverCommand),
    };
  };
  return { ...endpoint('hook'), authorityFile, counts, seen, endpoint, until: (messageId) => complete.of(messageId) };
}

/** Counts an event. @returns whether its message has all events now */
function count(seen: Receiver['seen'], { messageId, event }: Arrival): boolean {
  const events = seen.get(messageId) ?? new Map<string, number>();
  seen.set(messageId, events.set(event, (events.get(event) ?? 0) + 1));
  return happyEvents.every((name) => events.has(name));
}
