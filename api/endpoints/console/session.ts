/** The session of the console: log in with a cookie that pages cannot read, and log out. */
import Joi from 'joi';
import { foreignOrigin } from '../../../models/errors.js';
import { mayLogIn, setCookie } from '../../auth/console-session.js';
import { issueToken } from '../../auth/tokens.js';
import { endpoint } from '../../http/endpoint.js';
import { Reply } from '../../http/reply.js';
import { named } from '../../http/json-schema.js';
import { messageOnly } from '../../http/schemas.js';
import { presentWorkspace } from '../../present/presenters.js';
import { loginBody, workspaceOfLogin, workspaceResponse } from '../accounts/auth.js';
import { endCaller } from '../accounts/sessions.js';

export const createConsoleSession = endpoint({
  id: 'createConsoleSession',
  tag: 'console',
  method: 'post',
  path: '/console/session',
  summary: 'Log in to the console: the session is a cookie',
  auth: 'none',
  rate: 'auth',
  body: loginBody,
  refusals: [401, 403, 503],
  response: named('WorkspaceData', Joi.object({ workspace: workspaceResponse })),
  status: 201,
  admit({ headers }, { config }) {
    if (!mayLogIn(headers, config.publicUrl)) throw foreignOrigin();
    return undefined;
  },
  async handler({ body, origin }, deps) {
    const { jwtSecret, publicUrl } = deps.config;
    const workspace = await workspaceOfLogin(deps, body, origin);
    const cookie = setCookie(publicUrl, issueToken(jwtSecret, workspace, 'console'));
    return new Reply({ workspace: presentWorkspace(workspace) }, { headers: { 'Set-Cookie': cookie } });
  },
});

export const deleteConsoleSession = endpoint({
  id: 'deleteConsoleSession',
  tag: 'console',
  method: 'delete',
  path: '/console/session',
  summary: 'Log out of the console',
  auth: 'jwt',
  response: messageOnly,
  async handler({ caller, origin }, { db, config }) {
    await endCaller(db, caller, origin);
    return new Reply({ message: 'You are logged out.' }, { headers: { 'Set-Cookie': setCookie(config.publicUrl, null) } });
  },
});
