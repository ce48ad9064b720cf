/** Samples of every operation, by its id. */
import { accountSamples } from './accounts.js';
import { messageSamples } from './messages.js';
import { otherSamples } from './others.js';
import type { Samples } from './sample.js';
import { webhookSamples } from './webhooks.js';
import { workspaceSamples } from './workspaces.js';

export const samples: Samples = { ...accountSamples, ...messageSamples, ...webhookSamples, ...workspaceSamples, ...otherSamples };
