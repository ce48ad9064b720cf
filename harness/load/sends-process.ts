/** Senders in a child process of the bench, so that they do not slow down the measuring process. */
import { once } from 'node:events';
import { openSends } from './open-sends.js';
import { createLeanSender } from './lean-sender.js';
import { steadySends } from './steady-sends.js';

/** The command of the parent process. */
export interface SendsCommand {
  kind: 'steady' | 'open';
  baseUrl: string;
  apiKey: string;
  seconds: number;
  perSecond: number;
}

/**
 * Connections are opened before the sends: a server accepts one new connection per event-loop turn, so sends with new connections would wait.
 * There are enough connections for responses that take this long. Beyond that, a send without a free connection opens a new one.
 */
const connectedForSeconds = 2;
/** A path without an endpoint, because opening connections should cost little. */
const nowhere = '/';

process.once('disconnect', () => process.exit(1));
const [{ kind, baseUrl, apiKey, seconds, perSecond }] = (await once(process, 'message')) as [SendsCommand];
const sends = { steady: steadySends, open: openSends }[kind];
const sender = createLeanSender(baseUrl, apiKey);
await Promise.all(Array.from({ length: connectedForSeconds * perSecond }, () => sender.call('GET', nowhere)));
process.send?.('connected');
await once(process, 'message');
process.send?.(await sends(sender, seconds, perSecond));
