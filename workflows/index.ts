/** All workflows. The bundle is built from this file. */
export { applyLateReports } from './apply-late-reports.js';
export { askRestored } from './ask-restored.js';
export { attemptDelivery } from './attempt-delivery.js';
export { retryWebhook } from './retry-webhook.js';
export { deliverWebhook } from './deliver-webhook.js';
export { runWatcher } from './run-watcher.js';
export { replayDeliveries } from './replay-deliveries.js';
export { sendBatch } from './send-batch.js';
export { sendGroup } from './send-group.js';
export { sendMail } from './send-mail.js';
export { sendMessage } from './send-message.js';
export { startDeliveries } from './start-deliveries.js';
