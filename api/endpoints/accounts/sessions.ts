/** Sessions: log out of one or of all. */
import type { Database } from '../../../models/db/database.js';
import { endAllSessions, endSession } from '../../../models/operations/accounts/end-sessions.js';
import type { Origin } from '../../../models/rules/audit/origin.js';
import type { Caller } from '../../http/caller.js';
import { endpoint } from '../../declare.js';
import { messageOnly } from '../../http/schemas/schemas.js';
import { successTexts } from '../../present/success-texts.js';

/** Ends the JWT of the caller. An old one without an id ends with all others. */
export async function endCaller(db: Database, { workspaceId, session }: Caller, origin: Origin): Promise<void> {
  if (session === null) await endAllSessions(db, workspaceId, origin);
  else await endSession(db, workspaceId, session, origin);
}

export const logOut = endpoint({
  id: 'logOut',
  tag: 'auth',
  method: 'post',
  path: '/api/v1/auth/logout',
  summary: 'Log out: revoke this JWT',
  auth: 'jwt',
  rate: 'auth',
  response: messageOnly,
  async handler({ caller, origin }, { db }) {
    await endCaller(db, caller, origin);
    return { message: successTexts.loggedOut };
  },
});

export const logOutAll = endpoint({
  id: 'logOutAll',
  tag: 'auth',
  method: 'post',
  path: '/api/v1/auth/logout-all',
  summary: 'Log out everywhere: revoke every JWT of the workspace',
  auth: 'jwt',
  rate: 'auth',
  response: messageOnly,
  async handler({ caller, origin }, { db }) {
    await endAllSessions(db, caller.workspaceId, origin);
    return { message: successTexts.allLoggedOut };
  },
});
