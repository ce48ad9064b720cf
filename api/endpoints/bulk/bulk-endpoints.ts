/**
 * The endpoints that run in the bulk thread, except for bodies that are cheap (`isCheap`). They have a list of their own, because the thread loads
 * no other endpoints.
 */
import type { BulkDeps } from '../../deps.js';
import type { Endpoint } from '../../http/endpoint.js';
import { sendBulkEndpoint } from './bulk.js';
import { previewMessagesEndpoint } from './preview.js';

export const bulkEndpoints: readonly Endpoint<BulkDeps>[] = [
  sendBulkEndpoint, //        POST   /api/v1/messages/bulk
  previewMessagesEndpoint, // POST   /api/v1/messages/preview
];
