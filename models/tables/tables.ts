/** All models, bound to one connection. */
import type { Sequelize } from 'sequelize';
import { ApiKey } from './api-key.js';
import { Batch } from './batch.js';
import { bindTable } from './model-of.js';
import { Contact } from './contact.js';
import { CreditEntry } from './credit-entry.js';
import { CreditOrder } from './credit-order.js';
import { CreditPackage } from './credit-package.js';
import { Delivery, DeliveryAttempt } from './delivery.js';
import { DeliveryReport } from './delivery-report.js';
import { StoredEvent } from './event.js';
import { Fallback } from './fallback.js';
import { Mail } from './mail.js';
import { Message } from './message.js';
import { MessageGroup } from './message-group.js';
import { OpenSession } from './open-session.js';
import { Replay } from './replay.js';
import { SendAttempt } from './send-attempt.js';
import { Suppression } from './suppression.js';
import { notDeleted, Webhook } from './webhook.js';
import { Workspace } from './workspace.js';

const keysOfAttempts = ['delivery_id', 'number'];
const keysOfSendAttempts = ['message_id', 'number'];

/** Binds all models to a connection. */
export function initModels(sequelize: Sequelize): void {
  bindTable(Workspace, { sequelize, tableName: 'workspaces' });
  bindTable(ApiKey, { sequelize, tableName: 'api_keys' });
  bindTable(Message, { sequelize, tableName: 'messages' });
  bindTable(MessageGroup, { sequelize, tableName: 'message_groups' });
  bindTable(SendAttempt, { sequelize, tableName: 'send_attempts', keys: keysOfSendAttempts });
  bindTable(DeliveryReport, { sequelize, tableName: 'delivery_reports' });
  bindTable(Fallback, { sequelize, tableName: 'fallbacks' });
  bindTable(Batch, { sequelize, tableName: 'batches' });
  bindTable(Webhook, { sequelize, tableName: 'webhooks', defaultScope: { where: notDeleted } });
  bindTable(StoredEvent, { sequelize, tableName: 'events' });
  bindTable(Delivery, { sequelize, tableName: 'deliveries' });
  bindTable(DeliveryAttempt, { sequelize, tableName: 'delivery_attempts', keys: keysOfAttempts });
  Delivery.hasMany(DeliveryAttempt, { as: 'attempts', foreignKey: 'delivery_id' });
  bindTable(Replay, { sequelize, tableName: 'replays' });
  bindTable(CreditEntry, { sequelize, tableName: 'credit_entries' });
  bindTable(Contact, { sequelize, tableName: 'contacts' });
  bindTable(CreditPackage, { sequelize, tableName: 'credit_packages' });
  bindTable(CreditOrder, { sequelize, tableName: 'credit_orders' });
  bindTable(OpenSession, { sequelize, tableName: 'sessions' });
  bindTable(Suppression, { sequelize, tableName: 'suppressions' });
  bindTable(Mail, { sequelize, tableName: 'mails' });
}
