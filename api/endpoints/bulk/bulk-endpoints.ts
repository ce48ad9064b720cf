/** What is answered in the thread of bulk sends: a table of contents of its own, because the thread loads nothing else. */
import type { BulkEndpoint } from '../../http/endpoint.js';
import { sendBulk } from './bulk.js';
import { previewMessage } from './preview.js';

export const bulkEndpoints: readonly BulkEndpoint[] = [
  sendBulk, //             POST   /api/v1/messages/bulk
  previewMessage, //       POST   /api/v1/messages/preview
];
