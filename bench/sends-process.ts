/** Sends from a process of their own, so that who measures beside them is not held up by them. A child of the bench. */
import { once } from 'node:events';
import { openSends } from './open-sends.js';
import { createSender } from './sender.js';
import { steadySends } from './steady-sends.js';

/** What the parent tells, once. */
export interface SendsOrder {
  kind: 'steady' | 'open';
  baseUrl: string;
  apiKey: string;
  seconds: number;
  perSecond: number;
}

process.once('disconnect', () => process.exit(1));
const [{ kind, baseUrl, apiKey, seconds, perSecond }] = (await once(process, 'message')) as [SendsOrder];
const sends = { steady: steadySends, open: openSends }[kind];
process.send?.(await sends(createSender(baseUrl, apiKey), seconds, perSecond));
