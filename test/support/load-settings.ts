/** Loads settings for tests. */
import assert from 'node:assert/strict';
import { ConfigError, loadConfig } from '../../models/settings/config.js';

/** The required settings. */
export const required = {
  DATABASE_URL: 'postgres://user:secret@127.0.0.1:5432/tidings',
  TEMPORAL_ADDRESS: '127.0.0.1:7233',
  JWT_SECRET: 'j'.repeat(32),
  SECRET_KEY: 's'.repeat(32),
};
/** Loads these settings in addition to the required ones. */
export const load = (env: NodeJS.ProcessEnv = {}) => loadConfig({ ...required, ...env });
/** The faults of an environment, by name of the setting. */
export const faultsOf = (env: NodeJS.ProcessEnv, names?: string[]): string[] => {
  try {
    loadConfig(env, names);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  return [];
};
