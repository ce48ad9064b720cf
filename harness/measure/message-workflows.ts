import { workflowTypes } from '../../workflows/contract.js';

/** Workflow types that a message may need on its way. */
export const messageWorkflows = [
  workflowTypes.sendMessage,
  workflowTypes.sendGroup,
  workflowTypes.applyLateReports,
  workflowTypes.carryWebhook,
  workflowTypes.deliverWebhook,
];
