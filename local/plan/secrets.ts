/** Secrets of an installation whose parts are all embedded: made once, kept in DATA_DIR. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from './start-error.js';
import { readState, writeState } from './state-file.js';

export interface Secrets {
  database_password: string;
  jwt_secret: string;
  secret_key: string;
}

/**
 * The secrets of this folder; those that are missing are made and stored first.
 * @throws StartError when the file is there but unreadable: new secrets would lock everybody out of the old data
 */
export function loadSecrets(dataDir: string): Secrets {
  const path = join(dataDir, 'secrets.json');
  const stored = readState<Partial<Secrets>>(path);
  if (stored === undefined && existsSync(path)) {
    throw new StartError(`${path} cannot be read: restore it, or remove the whole of ${dataDir} to begin anew.`);
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
