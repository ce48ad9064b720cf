/** The endpoints that run in the bulk thread. They have a list of their own, because the thread loads no other endpoints. */
import type { BulkDeps } from '../../deps.js';
import type { Endpoint } from '../../http/endpoint.js';
import { sendBulk } from './bulk.js';
import { previewMessage } from './preview.js';

export const bulkEndpoints: readonly Endpoint<BulkDeps>[] = [
  sendBulk, //             POST   /api/v1/messages/bulk
  previewMessage, //       POST   /api/v1/messages/preview
];
