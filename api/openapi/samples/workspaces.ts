import * as errors from '../../../models/errors.js';
import { ids, type Samples } from './sample.js';

const workspace = {
  id: ids.workspace,
  name: 'Analytical Engines',
  email: 'ada@example.com',
  email_verified: true,
  credits_balance: 100,
  spend_limit_day: 250,
  allowed_countries: ['DE', 'US'],
  message_days: 90,
};

/** What a workspace settles for itself, and its data as a whole. */
export const workspaceSamples: Samples = {
  'workspace.get': { data: { workspace } },
  'workspace.update': {
    about:
      'Holds for every send that begins after the answer. The limit counts what is debited from midnight to midnight UTC; what is given back of the same day no longer counts.',
    requests: {
      complete: { spend_limit_day: 250, allowed_countries: ['DE', 'US'], message_days: 90 },
      'without a limit': { spend_limit_day: null },
    },
    data: { workspace },
    refusals: [
      errors.invalidField('allowed_countries', 'Invalid allowed_countries. Must be ISO 3166 two-letter codes'),
      errors.invalidField('spend_limit_day', 'spend_limit_day must be a number'),
    ],
  },
};
