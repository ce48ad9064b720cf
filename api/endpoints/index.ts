/** All endpoints, in the order in which paths are matched. */
import type { Deps } from '../deps.js';
import type { Endpoint } from '../http/endpoint.js';
import { changeEmailEndpoint, closeWorkspaceEndpoint, changePasswordEndpoint, resendVerificationEndpoint } from './accounts/account.js';
import { listAuditEventsEndpoint } from './accounts/audit-events.js';
import { endSessionEndpoint, listSessionsEndpoint, logOutEndpoint, logOutAllEndpoint } from './accounts/sessions.js';
import { confirmTotpEndpoint, removeTotpEndpoint, setUpTotpEndpoint } from './accounts/totp.js';
import { createApiKeyEndpoint, deactivateApiKeyEndpoint, listApiKeysEndpoint, rotateApiKeyEndpoint } from './accounts/api-keys.js';
import { logInEndpoint, signUpEndpoint, verifyEmailEndpoint } from './accounts/auth.js';
import { cancelBatchEndpoint, getBatchEndpoint, listBatchesEndpoint, pauseBatchEndpoint, resumeBatchEndpoint } from './bulk/bulk.js';
import { bulkEndpoints } from './bulk/bulk-endpoints.js';
import { createConsoleSessionEndpoint, deleteConsoleSessionEndpoint, useConsoleLinkEndpoint } from './console/session.js';
import { getTotpEndpoint } from './console/totp.js';
import {
  createCheckoutEndpoint,
  listCreditPackagesEndpoint,
  listTransactionsEndpoint,
  receivePaymentEventEndpoint,
  returnFromCheckoutEndpoint,
} from './billing/billing.js';
import { receiveDeliveryReportsEndpoint } from './callbacks/callbacks.js';
import {
  getContactEndpoint,
  listContactsEndpoint,
  createContactEndpoint,
  updateContactEndpoint,
  deleteContactEndpoint,
} from './contacts/contacts.js';
import { getHealthEndpoint } from './operators/health.js';
import { cancelMessageEndpoint, getMessageEndpoint, listMessagesEndpoint, sendMessageEndpoint } from './messages/messages.js';
import { requestPasswordResetEndpoint, resetPasswordEndpoint } from './accounts/passwords.js';
import {
  createSuppressionEndpoint,
  getSuppressionEndpoint,
  listSuppressionsEndpoint,
  deleteSuppressionEndpoint,
} from './contacts/suppressions.js';
import { getLivenessEndpoint, getReadinessEndpoint } from './operators/probes.js';
import { getMessageTimelineEndpoint } from './messages/timeline.js';
import { describeUnsubscribeEndpoint, unsubscribeEndpoint } from './contacts/unsubscribe.js';
import { cancelReplayEndpoint, getReplayEndpoint, listReplaysEndpoint, replayDeliveriesEndpoint } from './webhooks/replays.js';
import { getWebhookPublicKeyEndpoint, rotateWebhookSecretEndpoint } from './webhooks/signing-keys.js';
import { createWebhookPortalEndpoint } from './webhooks/portal.js';
import { getDeliveryEndpoint, listDeliveriesEndpoint, resendDeliveryEndpoint, sendTestEventEndpoint } from './webhooks/deliveries.js';
import {
  createWebhookEndpoint,
  getWebhookEndpoint,
  listEventTypesEndpoint,
  listWebhooksEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
} from './webhooks/webhooks.js';
import { openEventStreamEndpoint } from './streams/stream.js';
import { getOverviewEndpoint } from './workspaces/overview.js';
import { createErasureEndpoint, getErasureEndpoint } from './workspaces/erasures.js';
import { exportWorkspaceEndpoint } from './workspaces/export.js';
import { getBalanceEndpoint, getUsageEndpoint } from './workspaces/usage.js';
import { getWorkspaceEndpoint, updateWorkspaceEndpoint } from './workspaces/workspace.js';

export const endpoints: readonly Endpoint<Deps>[] = [
  signUpEndpoint, //                 POST   /api/v1/auth/signup
  logInEndpoint, //                  POST   /api/v1/auth/login
  verifyEmailEndpoint, //            POST   /api/v1/auth/verify-email
  requestPasswordResetEndpoint, //   POST   /api/v1/auth/forgot-password
  resetPasswordEndpoint, //          POST   /api/v1/auth/reset-password
  resendVerificationEndpoint, //     POST   /api/v1/auth/resend-verification
  changePasswordEndpoint, //         PUT    /api/v1/auth/password
  changeEmailEndpoint, //            POST   /api/v1/auth/change-email
  logOutEndpoint, //                 POST   /api/v1/auth/logout
  logOutAllEndpoint, //              POST   /api/v1/auth/logout-all
  listSessionsEndpoint, //           GET    /api/v1/auth/sessions
  endSessionEndpoint, //             DELETE /api/v1/auth/sessions/:id
  setUpTotpEndpoint, //              POST   /api/v1/auth/totp
  confirmTotpEndpoint, //            POST   /api/v1/auth/totp/confirm
  removeTotpEndpoint, //             DELETE /api/v1/auth/totp
  closeWorkspaceEndpoint, //         DELETE /api/v1/auth/workspace
  createConsoleSessionEndpoint, //   POST   /console/session
  deleteConsoleSessionEndpoint, //   DELETE /console/session
  useConsoleLinkEndpoint, //         POST   /console/session/link
  getTotpEndpoint, //                GET    /console/session/totp
  sendMessageEndpoint, //            POST   /api/v1/messages/send
  ...bulkEndpoints.map((each) => ({ ...each, inBulkThread: true as const })),
  listMessagesEndpoint, //           GET    /api/v1/messages
  listBatchesEndpoint, //            GET    /api/v1/messages/bulk
  getBatchEndpoint, //               GET    /api/v1/messages/bulk/:id
  pauseBatchEndpoint, //             POST   /api/v1/messages/bulk/:id/pause
  resumeBatchEndpoint, //            POST   /api/v1/messages/bulk/:id/resume
  cancelBatchEndpoint, //            POST   /api/v1/messages/bulk/:id/cancel
  getMessageEndpoint, //             GET    /api/v1/messages/:id
  getMessageTimelineEndpoint, //     GET    /api/v1/messages/:id/timeline
  cancelMessageEndpoint, //          POST   /api/v1/messages/:id/cancel
  getWorkspaceEndpoint, //           GET    /api/v1/workspace
  updateWorkspaceEndpoint, //        PUT    /api/v1/workspace
  getBalanceEndpoint, //             GET    /api/v1/balance
  getUsageEndpoint, //               GET    /api/v1/usage
  getOverviewEndpoint, //            GET    /api/v1/overview
  exportWorkspaceEndpoint, //        GET    /api/v1/export
  openEventStreamEndpoint, //        GET    /api/v1/stream
  createErasureEndpoint, //          POST   /api/v1/erasures
  getErasureEndpoint, //             GET    /api/v1/erasures/:id
  createApiKeyEndpoint, //           POST   /api/v1/api-keys
  listApiKeysEndpoint, //            GET    /api/v1/api-keys
  deactivateApiKeyEndpoint, //       DELETE /api/v1/api-keys/:id
  rotateApiKeyEndpoint, //           POST   /api/v1/api-keys/:id/rotate
  listAuditEventsEndpoint, //        GET    /api/v1/audit-events
  createContactEndpoint, //          POST   /api/v1/contacts
  listContactsEndpoint, //           GET    /api/v1/contacts
  getContactEndpoint, //             GET    /api/v1/contacts/:id
  updateContactEndpoint, //          PUT    /api/v1/contacts/:id
  deleteContactEndpoint, //          DELETE /api/v1/contacts/:id
  createSuppressionEndpoint, //      POST   /api/v1/suppressions
  listSuppressionsEndpoint, //       GET    /api/v1/suppressions
  getSuppressionEndpoint, //         GET    /api/v1/suppressions/:id
  deleteSuppressionEndpoint, //      DELETE /api/v1/suppressions/:id
  createWebhookEndpoint, //          POST   /api/v1/webhooks
  listWebhooksEndpoint, //           GET    /api/v1/webhooks
  listEventTypesEndpoint, //         GET    /api/v1/webhooks/events
  getWebhookEndpoint, //             GET    /api/v1/webhooks/:id
  updateWebhookEndpoint, //          PUT    /api/v1/webhooks/:id
  deleteWebhookEndpoint, //          DELETE /api/v1/webhooks/:id
  listDeliveriesEndpoint, //         GET    /api/v1/webhooks/:id/deliveries
  getDeliveryEndpoint, //            GET    /api/v1/webhooks/:id/deliveries/:delivery_id
  resendDeliveryEndpoint, //         POST   /api/v1/webhooks/:id/deliveries/:delivery_id/resend
  replayDeliveriesEndpoint, //       POST   /api/v1/webhooks/:id/replay
  listReplaysEndpoint, //            GET    /api/v1/webhooks/:id/replays
  getReplayEndpoint, //              GET    /api/v1/webhooks/:id/replays/:replay_id
  cancelReplayEndpoint, //           POST   /api/v1/webhooks/:id/replays/:replay_id/cancel
  sendTestEventEndpoint, //          POST   /api/v1/webhooks/:id/test
  rotateWebhookSecretEndpoint, //    POST   /api/v1/webhooks/:id/rotate-secret
  createWebhookPortalEndpoint, //    POST   /api/v1/webhooks/:id/portal
  getWebhookPublicKeyEndpoint, //    GET    /api/v1/webhooks/:id/public-key
  listCreditPackagesEndpoint, //     GET    /api/v1/billing/packages
  createCheckoutEndpoint, //         POST   /api/v1/billing/checkout
  listTransactionsEndpoint, //       GET    /api/v1/billing/transactions
  receivePaymentEventEndpoint, //    POST   /api/v1/billing/webhook
  returnFromCheckoutEndpoint, //     GET    /billing/return
  receiveDeliveryReportsEndpoint, // POST   /callbacks/:provider
  unsubscribeEndpoint, //            POST   /unsubscribe/:token
  describeUnsubscribeEndpoint, //    GET    /unsubscribe/:token
  getHealthEndpoint, //              GET    /health
  getLivenessEndpoint, //            GET    /live
  getReadinessEndpoint, //           GET    /ready
];
