/** All endpoints, in the order in which paths are matched. */
import type { Deps } from '../deps.js';
import type { Endpoint } from '../http/endpoint.js';
import { changeEmail, closeAccount, putPassword, resendVerification } from './accounts/account.js';
import { listAudit } from './accounts/audit-events.js';
import { endOneSession, listSessions, logOut, logOutAll } from './accounts/sessions.js';
import { confirmTotpCode, deleteTotp, setUpTotp } from './accounts/totp.js';
import { createApiKey, deleteApiKey, listApiKeys, rotateKey } from './accounts/api-keys.js';
import { login, signup, verifyEmailAddress } from './accounts/auth.js';
import { cancelBulk, getBulk, listBulk, pauseBulk, resumeBulk } from './bulk/bulk.js';
import { bulkEndpoints } from './bulk/bulk-endpoints.js';
import { createConsoleSession, deleteConsoleSession, useLink } from './console/session.js';
import { getTotp } from './console/totp.js';
import { createCheckout, listPackages, listTransactions, receivePayment, returnFromCheckout } from './billing.js';
import { receiveReports } from './callbacks.js';
import { getContact, listContacts, postContact, putContact, removeContact } from './contacts/contacts.js';
import { getHealth } from './operators/health.js';
import { cancelOneMessage, getMessage, listHistory, sendMessage } from './messages/messages.js';
import { forgotPassword, setNewPassword } from './accounts/passwords.js';
import { addToList, getSuppression, listSuppressions, removeSuppression } from './contacts/suppressions.js';
import { getLive, getReady } from './operators/probes.js';
import { getTimeline } from './messages/timeline.js';
import { explainUnsubscribe, unsubscribe } from './contacts/unsubscribe.js';
import { cancelOneReplay, getReplay, listReplays, replayWebhook } from './webhooks/replays.js';
import { getPublicKey, resendDelivery, rotateWebhookSecret, sendTestEvent } from './webhooks/webhook-operations.js';
import { createPortal } from './webhooks/portal.js';
import { getDelivery, listDeliveries } from './webhooks/deliveries.js';
import { createWebhook, getWebhook, listEventTypes, listWebhooks, putWebhook, removeWebhook } from './webhooks/webhooks.js';
import { openEventStream } from './streams/stream.js';
import { getOverview } from './workspaces/overview.js';
import { createErasure, getErasure } from './workspaces/erasures.js';
import { exportWorkspace } from './workspaces/export.js';
import { getBalance, getUsage } from './workspaces/usage.js';
import { getWorkspace, putWorkspace } from './workspaces/workspace.js';

export const endpoints: readonly Endpoint<Deps>[] = [
  signup, //               POST   /api/v1/auth/signup
  login, //                POST   /api/v1/auth/login
  verifyEmailAddress, //   POST   /api/v1/auth/verify-email
  forgotPassword, //       POST   /api/v1/auth/forgot-password
  setNewPassword, //       POST   /api/v1/auth/reset-password
  resendVerification, //   POST   /api/v1/auth/resend-verification
  putPassword, //          PUT    /api/v1/auth/password
  changeEmail, //          POST   /api/v1/auth/change-email
  logOut, //               POST   /api/v1/auth/logout
  logOutAll, //            POST   /api/v1/auth/logout-all
  listSessions, //         GET    /api/v1/auth/sessions
  endOneSession, //        DELETE /api/v1/auth/sessions/:id
  setUpTotp, //            POST   /api/v1/auth/totp
  confirmTotpCode, //      POST   /api/v1/auth/totp/confirm
  deleteTotp, //           DELETE /api/v1/auth/totp
  closeAccount, //         DELETE /api/v1/auth/workspace
  createConsoleSession, // POST   /console/session
  deleteConsoleSession, // DELETE /console/session
  useLink, //              POST   /console/session/link
  getTotp, //              GET    /console/session/totp
  sendMessage, //          POST   /api/v1/messages/send
  ...bulkEndpoints.map((each) => ({ ...each, inBulkThread: true as const })),
  listHistory, //          GET    /api/v1/messages
  listBulk, //             GET    /api/v1/messages/bulk
  getBulk, //              GET    /api/v1/messages/bulk/:id
  pauseBulk, //            POST   /api/v1/messages/bulk/:id/pause
  resumeBulk, //           POST   /api/v1/messages/bulk/:id/resume
  cancelBulk, //           POST   /api/v1/messages/bulk/:id/cancel
  getMessage, //           GET    /api/v1/messages/:id
  getTimeline, //          GET    /api/v1/messages/:id/timeline
  cancelOneMessage, //     POST   /api/v1/messages/:id/cancel
  getWorkspace, //         GET    /api/v1/workspace
  putWorkspace, //         PUT    /api/v1/workspace
  getBalance, //           GET    /api/v1/balance
  getUsage, //             GET    /api/v1/usage
  getOverview, //          GET    /api/v1/overview
  exportWorkspace, //      GET    /api/v1/export
  openEventStream, //      GET    /api/v1/stream
  createErasure, //        POST   /api/v1/erasures
  getErasure, //           GET    /api/v1/erasures/:id
  createApiKey, //         POST   /api/v1/api-keys
  listApiKeys, //          GET    /api/v1/api-keys
  deleteApiKey, //         DELETE /api/v1/api-keys/:id
  rotateKey, //            POST   /api/v1/api-keys/:id/rotate
  listAudit, //            GET    /api/v1/audit-events
  postContact, //          POST   /api/v1/contacts
  listContacts, //         GET    /api/v1/contacts
  getContact, //           GET    /api/v1/contacts/:id
  putContact, //           PUT    /api/v1/contacts/:id
  removeContact, //        DELETE /api/v1/contacts/:id
  addToList, //            POST   /api/v1/suppressions
  listSuppressions, //     GET    /api/v1/suppressions
  getSuppression, //       GET    /api/v1/suppressions/:id
  removeSuppression, //    DELETE /api/v1/suppressions/:id
  createWebhook, //        POST   /api/v1/webhooks
  listWebhooks, //         GET    /api/v1/webhooks
  listEventTypes, //       GET    /api/v1/webhooks/events
  getWebhook, //           GET    /api/v1/webhooks/:id
  putWebhook, //           PUT    /api/v1/webhooks/:id
  removeWebhook, //        DELETE /api/v1/webhooks/:id
  listDeliveries, //       GET    /api/v1/webhooks/:id/deliveries
  getDelivery, //          GET    /api/v1/webhooks/:id/deliveries/:delivery_id
  resendDelivery, //       POST   /api/v1/webhooks/:id/deliveries/:delivery_id/resend
  replayWebhook, //        POST   /api/v1/webhooks/:id/replay
  listReplays, //          GET    /api/v1/webhooks/:id/replays
  getReplay, //            GET    /api/v1/webhooks/:id/replays/:replay_id
  cancelOneReplay, //      POST   /api/v1/webhooks/:id/replays/:replay_id/cancel
  sendTestEvent, //        POST   /api/v1/webhooks/:id/test
  rotateWebhookSecret, //  POST   /api/v1/webhooks/:id/rotate-secret
  createPortal, //         POST   /api/v1/webhooks/:id/portal
  getPublicKey, //         GET    /api/v1/webhooks/:id/public-key
  listPackages, //         GET    /api/v1/billing/packages
  createCheckout, //       POST   /api/v1/billing/checkout
  listTransactions, //     GET    /api/v1/billing/transactions
  receivePayment, //       POST   /api/v1/billing/webhook
  returnFromCheckout, //   GET    /billing/return
  receiveReports, //       POST   /callbacks/:provider
  unsubscribe, //          POST   /unsubscribe/:token
  explainUnsubscribe, //   GET    /unsubscribe/:token
  getHealth, //            GET    /health
  getLive, //              GET    /live
  getReady, //             GET    /ready
];
