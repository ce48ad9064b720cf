/** Creates the demo workspace and its API key if they are missing. Entry point: `node dist/local/demo-workspace.js`. */
import { randomBytes } from 'node:crypto';
import { ApiKey } from '../models/tables/api-key.js';
import { type Config, loadConfig } from '../models/settings/config.js';
import { connect, type Database } from '../models/db/database.js';
import { signUp } from '../models/operations/accounts/sign-up.js';
import { hashPassword } from '../models/passwords.js';
import { systemOrigin } from '../models/rules/audit/origin.js';
import { scopes } from '../models/rules/accounts/api-key.js';
import { Workspace } from '../models/tables/workspace.js';
import { readDemoState, writeDemoState } from './demo/demo-state.js';

const email = 'demo@tidings.invalid';

const config = loadConfig(process.env);
const db = connect(config.databaseUrl, 2);
try {
  await ensureDemoWorkspace(db, config);
} finally {
  await db.close();
}

async function ensureDemoWorkspace(database: Database, settings: Readonly<Config>): Promise<void> {
  const existing = await Workspace.byEmail(email);
  if (existing !== null && readDemoState(settings.dataDir) !== undefined) return;
  const password = randomBytes(12).toString('base64url');
  // If the stored credentials are lost, the workspace gets a new password and key, but no new credits.
  await existing?.update({ password_hash: await hashPassword(password, email) });
  const workspace = existing ?? (await signUpDemo(database, settings, password));
  const { key } = await ApiKey.issue(settings.secretKey, { workspace_id: workspace.id, name: 'demo', scopes });
  writeDemoState(settings.dataDir, { email, password, api_key: key });
}

async function signUpDemo(database: Database, settings: Readonly<Config>, password: string): Promise<Workspace> {
  const request = { email, password, company_name: 'Demo', phone: null, country: null };
  const { workspace } = await signUp({ db: database, config: settings }, request, systemOrigin('launcher'));
  return workspace.update({ email_verified: true }); // its address cannot receive e-mail
}
