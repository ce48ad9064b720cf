import { workflowTypes } from '../../workflows/contract.js';

/** The workflow types of a message. */
export const messageWorkflows = [
  workflowTypes.sendMessage,
  workflowTypes.sendGroup,
  workflowTypes.applyLateReports,
  workflowTypes.retryWebhook,
  workflowTypes.deliverWebhook,
];
