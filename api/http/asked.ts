import type { IncomingHttpHeaders } from 'node:http';
import type { Origin } from '../../models/rules/audit/origin.js';
import type { Caller } from './caller.js';

/** A request as it came, by a caller who may make it. */
export interface Asked {
  caller: Caller | null;
  origin: Origin;
  params: object;
  query: object;
  body: Buffer;
  idempotencyKey: string | null;
  /** The address that the caller used, by the public name of the service. */
  url: string;
  headers: IncomingHttpHeaders;
}
