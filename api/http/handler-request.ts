import type { IncomingHttpHeaders } from 'node:http';
import type { Origin } from '../../models/rules/audit/origin.js';
import type { Caller } from './caller.js';
import type { SendTrace } from './request-context.js';

/** A request of an authorized caller, before validation. It contains plain data only, so it can be passed to another thread. */
export interface HandlerRequest extends SendTrace {
  caller: Caller | null;
  origin: Origin;
  params: object;
  query: object;
  body: Buffer;
  idempotencyKey: string | null;
  /** The URL that the caller used, with the public host name of the service. */
  url: string;
  headers: IncomingHttpHeaders;
}
