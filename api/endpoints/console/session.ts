/** The session of the console: log in with a cookie that pages cannot read, and log out. */
import Joi from 'joi';
import { foreignOrigin, invalidMailToken } from '../../../models/errors.js';
import { useConsoleLink } from '../../../models/operations/logins/use-console-link.js';
import { readConsoleLink } from '../../../models/rules/accounts/console-link.js';
import type { Origin } from '../../../models/rules/audit/origin.js';
import type { Workspace } from '../../../models/tables/workspace.js';
import { mayLogIn, setCookie } from '../../auth/console-session.js';
import type { Deps } from '../../deps.js';
import { endpoint } from '../../declare.js';
import type { HttpHead } from '../../http/endpoint.js';
import { Reply } from '../../http/reply.js';
import { named } from '../../http/schemas/json-schema.js';
import { messageOnly } from '../../http/schemas/schemas.js';
import { requiredText } from '../../http/schemas/validation.js';
import { presentWorkspace } from '../../present/presenters.js';
import { successTexts } from '../../present/success-texts.js';
import { loginBody, workspaceOfLogin, workspaceResponse } from '../accounts/auth.js';
import { newSession } from '../accounts/new-session.js';
import { endCurrentSession } from '../accounts/sessions.js';

const workspaceData = named('WorkspaceData', Joi.object({ workspace: workspaceResponse }));

/** A login from a page of another origin would put its visitor into a session of the attacker. */
function fromOwnPage({ headers }: HttpHead, { config }: Deps): void {
  if (!mayLogIn(headers, config.publicUrl)) throw foreignOrigin();
}

async function beginSession({ config }: Pick<Deps, 'config'>, workspace: Workspace, origin: Origin): Promise<Reply> {
  const cookie = setCookie(config.publicUrl, await newSession({ config }, workspace, 'console', origin));
  return new Reply({ data: { workspace: presentWorkspace(workspace) } }, { headers: { 'Set-Cookie': cookie } });
}

export const createConsoleSessionEndpoint = endpoint({
  id: 'createConsoleSession',
  tag: 'console',
  method: 'post',
  path: '/console/session',
  summary: 'Log in to the console: the session is a cookie',
  auth: 'none',
  rate: 'auth',
  body: loginBody,
  response: workspaceData,
  status: 201,
  checkHead: fromOwnPage,
  async handler(input, deps) {
    return beginSession(deps, await workspaceOfLogin(deps, input), input.origin);
  },
});

const linkHint =
  'A link of npm start works once, within 15 minutes. For a new one start again; the login of the demo workspace is in DATA_DIR/demo.json, unless you changed it';

export const useConsoleLinkEndpoint = endpoint({
  id: 'useConsoleLink',
  tag: 'console',
  method: 'post',
  path: '/console/session/link',
  summary: 'Log in to the console with the one-time link of a local start',
  auth: 'none',
  rate: 'auth',
  body: Joi.object<{ token: string }>({ token: requiredText() }).required(),
  response: workspaceData,
  status: 201,
  checkHead: fromOwnPage,
  async handler({ body, origin, logWorkspace }, { db, config }) {
    const { jwtSecrets, demoReceiver } = config;
    // Only the local launcher sets the demo receiver, and only it makes links.
    const link = demoReceiver === undefined ? null : readConsoleLink(jwtSecrets, body.token);
    const workspace = link === null ? null : await useConsoleLink(db, link, origin);
    if (workspace === null) throw invalidMailToken(linkHint);
    logWorkspace(workspace.id);
    return beginSession({ config }, workspace, origin);
  },
});

export const deleteConsoleSessionEndpoint = endpoint({
  id: 'deleteConsoleSession',
  tag: 'console',
  method: 'delete',
  path: '/console/session',
  summary: 'Log out of the console',
  auth: 'jwt',
  response: messageOnly,
  async handler({ caller, origin }, { db, config }) {
    await endCurrentSession(db, caller, origin);
    return new Reply({ data: { message: successTexts.loggedOut } }, { headers: { 'Set-Cookie': setCookie(config.publicUrl, null) } });
  },
});
