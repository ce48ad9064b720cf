/** Sends from a process of their own, so that who measures beside them is not held up by them. A child of the bench. */
import { once } from 'node:events';
import { openSends } from './open-sends.js';
import { createLeanSender } from './lean-sender.js';
import { steadySends } from './steady-sends.js';

/** What the parent tells, once. */
export interface SendsOrder {
  kind: 'steady' | 'open';
  baseUrl: string;
  apiKey: string;
  seconds: number;
  perSecond: number;
}

/**
 * Clients have their connections: a listener takes one new connection at each turn of its event loop, so sends that all came with one
 * would wait for that. Enough for answers after so long; beyond, a send without a free one brings its own.
 */
const connectedForSeconds = 2;
/** A path without an endpoint: what connects is to cost next to nothing. */
const nowhere = '/';

process.once('disconnect', () => process.exit(1));
const [{ kind, baseUrl, apiKey, seconds, perSecond }] = (await once(process, 'message')) as [SendsOrder];
const sends = { steady: steadySends, open: openSends }[kind];
const sender = createLeanSender(baseUrl, apiKey);
await Promise.all(Array.from({ length: connectedForSeconds * perSecond }, () => sender.call('GET', nowhere)));
process.send?.('connected');
await once(process, 'message');
process.send?.(await sends(sender, seconds, perSecond));
