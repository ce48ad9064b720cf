/** The secrets of an installation with embedded servers. They are created once and kept in DATA_DIR. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../output/start-error.js';
import { readState, writeState } from './state-file.js';

export interface Secrets {
  database_password: string;
  jwt_secret: string;
  secret_key: string;
}

/**
 * Reads the secrets of this folder. Missing ones are created and stored first.
 * @throws StartError when the file exists but cannot be read, because new secrets would make the existing data unreadable
 */
export function loadSecrets(dataDir: string): Secrets {
  const path = join(dataDir, 'secrets.json');
  const stored = readState<Partial<Secrets>>(path);
  if (stored === undefined && existsSync(path)) {
    throw new StartError(`${path} cannot be read: restore it, or delete ${dataDir} to start from scratch.`);
  }
  const secrets = {
    database_password: stored?.database_password ?? newSecret(),
    jwt_secret: stored?.jwt_secret ?? newSecret(),
    secret_key: stored?.secret_key ?? newSecret(),
  };
  if (Object.keys(stored ?? {}).length !== Object.keys(secrets).length) writeState(path, secrets);
  return secrets;
}

const newSecret = () => randomBytes(32).toString('base64url');
