/** Sessions: log out of one or of all. */
import { endAllSessions, endSession } from '../../../models/operations/accounts/end-sessions.js';
import { endpoint } from '../../http/endpoint.js';
import { messageOnly } from '../../http/schemas.js';

export const logOut = endpoint({
  id: 'auth.logout',
  method: 'post',
  path: '/api/v1/auth/logout',
  summary: 'Log out: revoke this JWT',
  auth: 'jwt',
  rate: 'auth',
  response: messageOnly,
  async handler({ caller, origin }, { db }) {
    if (caller.session === null) await endAllSessions(db, caller.workspaceId, origin);
    else await endSession(db, caller.workspaceId, caller.session, origin);
    return { message: 'You are logged out.' };
  },
});

export const logOutAll = endpoint({
  id: 'auth.logout-all',
  method: 'post',
  path: '/api/v1/auth/logout-all',
  summary: 'Log out everywhere: revoke every JWT of the workspace',
  auth: 'jwt',
  rate: 'auth',
  response: messageOnly,
  async handler({ caller, origin }, { db }) {
    await endAllSessions(db, caller.workspaceId, origin);
    return { message: 'All sessions are logged out.' };
  },
});
