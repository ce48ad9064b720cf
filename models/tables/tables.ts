/** All models, bound to one connection. */
import type { Sequelize } from 'sequelize';
import { initApiKey } from './api-key.js';
import { initBatch } from './batch.js';
import { initContact } from './contact.js';
import { initCreditEntry } from './credit-entry.js';
import { initCreditOrder } from './credit-order.js';
import { initCreditPackage } from './credit-package.js';
import { initDelivery } from './delivery.js';
import { initMessage } from './message.js';
import { initReplay } from './replay.js';
import { initSuppression } from './suppression.js';
import { initWebhook } from './webhook.js';
import { initWorkspace } from './workspace.js';

export function initModels(sequelize: Sequelize): void {
  const inits = [
    initWorkspace,
    initApiKey,
    initMessage,
    initBatch,
    initWebhook,
    initDelivery,
    initReplay,
    initCreditEntry,
    initContact,
    initCreditPackage,
    initCreditOrder,
    initSuppression,
  ];
  for (const init of inits) init(sequelize);
}
