/** All models, bound to one connection. */
import type { Sequelize } from 'sequelize';
import { initApiKey } from './api-key.js';
import { initBatch } from './batch.js';
import { initCreditEntry } from './credit-entry.js';
import { initDelivery } from './delivery.js';
import { initMessage } from './message.js';
import { initWebhook } from './webhook.js';
import { initWorkspace } from './workspace.js';

export function initModels(sequelize: Sequelize): void {
  for (const init of [initWorkspace, initApiKey, initMessage, initBatch, initWebhook, initDelivery, initCreditEntry]) init(sequelize);
}
