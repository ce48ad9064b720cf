/** Steady sends from a process of their own, so that who measures beside them is not held up by them. A child of the bench. */
import { once } from 'node:events';
import { createSender } from './sender.js';
import { steadySends } from './steady-sends.js';

/** What the parent tells, once. */
export interface SendsOrder {
  baseUrl: string;
  apiKey: string;
  seconds: number;
  perSecond: number;
}

process.once('disconnect', () => process.exit(1));
const [{ baseUrl, apiKey, seconds, perSecond }] = (await once(process, 'message')) as [SendsOrder];
process.send?.(await steadySends(createSender(baseUrl, apiKey), seconds, perSecond));
