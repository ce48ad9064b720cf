/** Encrypts all secrets with the present SECRET_KEY; see SECRET_KEYS_OLD. Entry point: `node dist/models/reencrypt.js`. */
import { ConfigError, loadConfig } from './settings/config.js';
import { commandEnvironment } from './settings/environment.js';
import { connect } from './db/database.js';
import { reencryptTotp } from './operations/accounts/reencrypt-totp.js';
import { reencryptKeys, reencryptSecrets } from './operations/webhooks/reencrypt-secrets.js';

try {
  const config = loadConfig(commandEnvironment(), ['DATABASE_URL', 'SECRET_KEY']);
  const db = connect(config.databaseUrl, 2);
  const { webhooks, reencrypted, unreadable } = await reencryptSecrets(db, config.secretKeys);
  await reencryptKeys(db, config.secretKeys);
  const totp = await reencryptTotp(db, config.secretKeys);
  await db.close();
  process.stdout.write(`${webhooks} webhooks: ${reencrypted} encrypted anew, ${unreadable.length} that no key opens.\n`);
  for (const id of unreadable) process.stderr.write(`No key opens the secret of webhook ${id}.\n`);
  if (totp.secrets > 0) {
    const { secrets, reencrypted: renewed, unreadable: lost } = totp;
    process.stdout.write(`${secrets} TOTP secrets: ${renewed} encrypted anew, ${lost.length} that no key opens.\n`);
    for (const id of lost) process.stderr.write(`No key opens the TOTP secret of workspace ${id}.\n`);
  }
  if (unreadable.length + totp.unreadable.length > 0) process.exitCode = 1;
} catch (error) {
  process.stderr.write(error instanceof ConfigError ? `${error.message}\n` : `Failed: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
