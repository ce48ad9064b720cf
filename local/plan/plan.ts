/** What is configured, what is embedded, and the environment that the processes of the service get. */
import { accessSync, constants, mkdirSync } from 'node:fs';
import { type Config, loadConfig } from '../../models/settings/config.js';
import { reasonOf, StartError } from './start-error.js';

export interface Plan {
  config: Readonly<Config>;
  /** the user's own environment */
  env: NodeJS.ProcessEnv;
  /** neither PostgreSQL nor Temporal is configured: secrets, demo workspace and demo receiver are ours to make */
  allEmbedded: boolean;
  embedsPostgres: boolean;
  embedsTemporal: boolean;
}

/**
 * Reads the settings and decides what has to be started.
 * @throws ConfigError with every fault at once
 */
export function readPlan(env: NodeJS.ProcessEnv): Plan {
  const embedsPostgres = isUnset(env.DATABASE_URL);
  const embedsTemporal = isUnset(env.TEMPORAL_ADDRESS);
  const allEmbedded = embedsPostgres && embedsTemporal;
  const config = loadConfig(env, allEmbedded ? [] : ['JWT_SECRET', 'SECRET_KEY']);
  return { config, env, allEmbedded, embedsPostgres, embedsTemporal };
}

/** Makes DATA_DIR, closed to other users. */
export function prepareDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(`DATA_DIR ${dataDir} cannot be used (${reasonOf(error)}): set DATA_DIR to a folder of yours.`);
  }
}

export const isUnset = (value: string | undefined): value is undefined | '' => value === undefined || value === '';
