/** Descriptions and examples of an operation for the OpenAPI document. They are kept apart from the declarations, so that those stay short. */
import type { AppError } from '../../../models/errors.js';

export interface Sample {
  /** The description of the operation. */
  about?: string;
  /** Request bodies by name. */
  requests?: Readonly<Record<string, object>>;
  /** The `data` of a successful response, or the whole response without an envelope. */
  data: object;
  /** Errors that cannot be derived from the declaration. */
  refusals?: readonly AppError[];
}

export type Samples = Readonly<Record<string, Sample>>;

export const at = '2026-11-21T10:00:00.000Z';
export const later = '2026-11-21T10:00:02.345Z';
/** Sample ids by resource. */
export const ids = {
  workspace: '0198c5b1-0a10-7f3e-8b1d-000000000001',
  message: '0198c5b1-0a10-7f3e-8b1d-000000000002',
  batch: '0198c5b1-0a10-7f3e-8b1d-000000000003',
  key: '0198c5b1-0a10-7f3e-8b1d-000000000004',
  contact: '0198c5b1-0a10-7f3e-8b1d-000000000005',
  webhook: '0198c5b1-0a10-7f3e-8b1d-000000000006',
  delivery: '0198c5b1-0a10-7f3e-8b1d-000000000007',
  package: '0198c5b1-0a10-7f3e-8b1d-000000000008',
  transaction: '0198c5b1-0a10-7f3e-8b1d-000000000009',
  suppression: '0198c5b1-0a10-7f3e-8b1d-00000000000a',
  erasure: '0198c5b1-0a10-7f3e-8b1d-0000000000ee',
  replay: '0198c5b1-0a10-7f3e-8b1d-00000000000b',
  audit: '0198c5b1-0a10-7f3e-8b1d-00000000000c',
  session: '0198c5b1-0a10-7f3e-8b1d-00000000000d',
} as const;

export const pagination = { total: 1, page: 1, pages: 1, limit: 50, next_cursor: null };
