/** Creates the demo workspace and its API key if they are missing, or the key works no longer. Entry point: `node dist/local/demo-workspace.js`. */
import { randomBytes } from 'node:crypto';
import { ApiKey } from '../models/tables/api-key.js';
import { type Config, loadConfig } from '../models/settings/config.js';
import { connect, type Database, inTransaction } from '../models/db/database.js';
import { insertWorkspace } from '../models/operations/accounts/create-workspace.js';
import { isEntryPoint } from '../models/process/is-entry-point.js';
import { hashPassword } from '../models/passwords.js';
import { systemOrigin } from '../models/rules/audit/origin.js';
import { scopes } from '../models/rules/accounts/api-key.js';
import { Workspace } from '../models/tables/workspace.js';
import { readDemoState, writeDemoState } from './demo/demo-state.js';
import { demoWorks } from './demo/demo-works.js';

const email = 'demo@tidings.invalid';

/** What a start runs, so that its key works. */
export async function ensureDemoWorkspace(database: Database, settings: Readonly<Config>): Promise<void> {
  const { databaseUrl, dataDir, secretKey, secretKeys } = settings;
  const state = readDemoState(dataDir);
  if (state !== undefined && (await demoWorks(databaseUrl, secretKeys, state))) return;
  const existing = await Workspace.byEmail(email);
  // If only the key was revoked, the owner keeps the password. If the stored credentials are lost, the workspace gets new ones, but no new credits.
  const isKnown = existing !== null && state !== undefined;
  const password = isKnown ? state.password : randomBytes(12).toString('base64url');
  if (!isKnown) await existing?.update({ password_hash: await hashPassword(password, email) });
  const workspace = existing ?? (await signUpDemo(database, settings, password));
  const { key } = await ApiKey.issue(secretKey, { workspace_id: workspace.id, name: 'demo', scopes });
  writeDemoState(dataDir, { ...state, email, password, api_key: key });
}

async function signUpDemo(database: Database, settings: Readonly<Config>, password: string): Promise<Workspace> {
  const credits = { amount: settings.signupCredits, description: 'Signup credits' };
  const fields = { email, name: 'Demo', password_hash: await hashPassword(password, email), phone: null, country: null, credits };
  return inTransaction(database, async (transaction) => {
    const workspace = await insertWorkspace(database, transaction, fields, systemOrigin('launcher'));
    return workspace.update({ email_verified: true }, { transaction }); // its address cannot receive e-mail
  });
}

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const db = connect(config.databaseUrl, 2);
  try {
    await ensureDemoWorkspace(db, config);
  } finally {
    await db.close();
  }
}

if (isEntryPoint(import.meta.filename)) await main();
