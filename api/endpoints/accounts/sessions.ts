/** Sessions: list them, log out of one or of all. */
import Joi from 'joi';
import type { Database } from '../../../models/db/database.js';
import { notFound } from '../../../models/errors.js';
import { endAllSessions, endOpenSession, endSession } from '../../../models/operations/accounts/end-sessions.js';
import type { Origin } from '../../../models/rules/audit/origin.js';
import { mapRows } from '../../../models/rules/values/list-window.js';
import { OpenSession, sessionKinds } from '../../../models/tables/open-session.js';
import type { Caller } from '../../http/caller.js';
import { endpoint, list } from '../../declare.js';
import { named } from '../../http/schemas/json-schema.js';
import { date, dateOrNull, id, messageOnly, textOrNull, enumOf } from '../../http/schemas/schemas.js';
import { iso } from '../../present/presenters.js';
import { successTexts } from '../../present/success-texts.js';

/** Ends the JWT of the caller. */
export async function endCurrentSession(db: Database, { workspaceId, session }: Caller, origin: Origin): Promise<void> {
  if (session !== null) await endSession(db, workspaceId, session, origin);
}

export const logOutEndpoint = endpoint({
  id: 'logOut',
  tag: 'auth',
  method: 'post',
  path: '/api/v1/auth/logout',
  summary: 'Log out: revoke this JWT',
  auth: 'jwt',
  rate: 'auth',
  response: messageOnly,
  async handler({ caller, origin }, { db }) {
    await endCurrentSession(db, caller, origin);
    return { message: successTexts.loggedOut };
  },
});

export const logOutAllEndpoint = endpoint({
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

const sessionResponse = named(
  'Session',
  Joi.object({
    id: id(),
    kind: enumOf('SessionKind', sessionKinds).required(),
    created_at: date(),
    last_used_at: dateOrNull().description('To the minute; null before the first use'),
    expires_at: date(),
    address: textOrNull().description('Address of the client that logged in'),
    user_agent: textOrNull(),
    is_current: Joi.boolean().required().description('Whether this request uses this session'),
  }),
);

export const listSessionsEndpoint = list({
  id: 'listSessions',
  tag: 'auth',
  path: '/api/v1/auth/sessions',
  summary: 'List open sessions, newest first: JWTs, and sessions of the console',
  auth: 'jwt',
  rate: 'auth',
  name: 'sessions',
  row: sessionResponse,
  async find({ caller: { workspaceId, session }, window }, { config }) {
    const present = { tokenVersion: session?.version ?? 0, idleHours: config.consoleIdleHours };
    return mapRows(await OpenSession.pageOf(workspaceId, present, window), (row) => presentSession(row, session?.id));
  },
});

export const endSessionEndpoint = endpoint({
  id: 'endSession',
  tag: 'auth',
  method: 'delete',
  path: '/api/v1/auth/sessions/:id',
  summary: 'End a session: revoke its JWT, or its cookie of the console',
  auth: 'jwt',
  rate: 'auth',
  response: messageOnly,
  async handler({ caller, params, origin }, { db }) {
    const session = await OpenSession.owned(caller.workspaceId, params.id);
    if (!(await endOpenSession(db, session, origin))) throw notFound('Session');
    return { message: successTexts.sessionEnded };
  },
});

const presentSession = (row: OpenSession, currentId: string | undefined) => ({
  id: row.id,
  kind: row.kind,
  created_at: iso(row.created_at),
  last_used_at: iso(row.last_used_at),
  expires_at: iso(row.expires_at),
  address: row.address,
  user_agent: row.user_agent,
  is_current: row.id === currentId,
});
