/** All workflows. The bundle is built from this file. */
export { applyLateReports } from './messages/apply-late-reports.js';
export { askRestored } from './ask-restored.js';
export { attemptDelivery } from './webhooks/attempt-delivery.js';
export { retryWebhook } from './webhooks/retry-webhook.js';
export { deliverWebhook } from './webhooks/deliver-webhook.js';
export { runWatcher } from './run-watcher.js';
export { replayDeliveries } from './webhooks/replay-deliveries.js';
export { sendBatch } from './messages/send-batch.js';
export { sendGroup } from './messages/send-group.js';
export { sendMail } from './send-mail.js';
export { sendMessage } from './messages/send-message.js';
export { startDeliveries } from './webhooks/start-deliveries.js';
