/** Which servers are configured and which are embedded. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Config, loadConfig } from '../../models/settings/config.js';
import { reasonOf, StartError } from '../output/start-error.js';

export interface Plan {
  config: Readonly<Config>;
  /** The environment of the user. */
  env: NodeJS.ProcessEnv;
  /** Neither PostgreSQL nor Temporal is configured. Then the launcher creates secrets, demo workspace and demo receiver. */
  allEmbedded: boolean;
  embedsPostgres: boolean;
  embedsTemporal: boolean;
}

/**
 * Reads the settings and decides which servers to start.
 * @throws ConfigError with all faults
 */
export function readPlan(env: NodeJS.ProcessEnv): Plan {
  const embedsPostgres = isUnset(env.DATABASE_URL);
  const embedsTemporal = isUnset(env.TEMPORAL_ADDRESS);
  const allEmbedded = embedsPostgres && embedsTemporal;
  const config = loadConfig(env, allEmbedded ? [] : ['JWT_SECRET', 'SECRET_KEY']);
  return { config, env, allEmbedded, embedsPostgres, embedsTemporal };
}

/** Creates DATA_DIR, without access for other users. */
export function prepareDataDir(dataDir: string): void {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(`DATA_DIR ${dataDir} cannot be used (${reasonOf(error)}): set DATA_DIR to a folder that you can write to.`);
  }
}

/** A recursive mkdir of Node 20 never returns below a folder that takes no folders, such as /proc. So the outermost folder is made alone. */
function makeFolder(path: string): void {
  let outermost = path;
  while (!existsSync(dirname(outermost))) outermost = dirname(outermost);
  try {
    mkdirSync(outermost, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(outermost)) throw error; // otherwise it is there already, or another start has just made it
  }
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

export const isUnset = (value: string | undefined): value is undefined | '' => value === undefined || value === '';
