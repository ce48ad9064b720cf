import type { Check } from '../check.js';
import { callbackUrlCheck, publicUrlCheck, webhookNamesCheck } from './addresses.js';
import { databaseCheck, secretKeyCheck } from './database.js';
import { encryptionCheck } from './encryption.js';
import { paymentsCheck } from './payments.js';
import { providersCheck } from './providers.js';
import { runtimeCheck } from './runtime.js';
import { mailCheck, redisCheck } from './servers.js';
import { sessionsCheck } from './sessions.js';
import { settingsCheck } from './settings.js';
import { temporalCheck, workersCheck } from './temporal.js';

/** In the order of the report. */
export const allChecks: readonly Check[] = [
  settingsCheck,
  runtimeCheck,
  databaseCheck,
  sessionsCheck,
  secretKeyCheck,
  temporalCheck,
  workersCheck,
  redisCheck,
  encryptionCheck,
  mailCheck,
  providersCheck,
  paymentsCheck,
  publicUrlCheck,
  callbackUrlCheck,
  webhookNamesCheck,
];
