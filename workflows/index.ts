/** Every workflow: the bundle's one door. */
export { applyLateReports } from './apply-late-reports.js';
export { askRestored } from './ask-restored.js';
export { attemptDelivery } from './attempt-delivery.js';
export { carryWebhook } from './carry-webhook.js';
export { deliverWebhook } from './deliver-webhook.js';
export { maintain } from './maintain.js';
export { replayDeliveries } from './replay-deliveries.js';
export { sendBatch } from './send-batch.js';
export { sendGroup } from './send-group.js';
export { sendMail } from './send-mail.js';
export { sendMessage } from './send-message.js';
export { startDeliveries } from './start-deliveries.js';
