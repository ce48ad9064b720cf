/** Valid settings that do not fit together. The API logs the same when it starts. */
import { configWarnings } from '../../../models/settings/config-warnings.js';
import type { Check } from '../check.js';

export const settingsCheck: Check = {
  subject: 'settings',
  fix: 'Check the settings PROVIDER_* and STRIPE_*',
  run: async ({ config }) => configWarnings(config).map(({ text, ...warning }) => ({ ...warning, detail: text })),
};
