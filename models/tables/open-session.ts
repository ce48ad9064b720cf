/** An open session: a JWT of a client, or a session of the console. Tokens that were issued in the time that a restore of the database lost have no row. */
import { literal, Op } from 'sequelize';
import { column, type Columns, nullable, withDefault } from './columns.js';
import { ownedOf } from './owned.js';
import type { Listed, ListWindow } from '../rules/values/list-window.js';

export const sessionKinds = ['jwt', 'console'] as const;
export type SessionKind = (typeof sessionKinds)[number];

const sessionColumns = {
  /** The id of its token. */
  id: column.uuid(),
  workspace_id: column.uuid(),
  kind: column.text<SessionKind>(),
  /** The version of its workspace when it began. A session of another version has ended. */
  token_version: column.integer(),
  created_at: withDefault(column.timestamp()),
  expires_at: column.timestamp(),
  /** To the minute. */
  last_used_at: withDefault(nullable(column.timestamp())),
  /** The client that logged in. */
  address: nullable(column.text()),
  user_agent: nullable(column.text()),
} satisfies Columns;

export class OpenSession extends ownedOf(sessionColumns) {
  static override readonly resource = 'Session';

  /**
   * A part of the sessions that have not ended, newest first.
   * @param tokenVersion the present version of the workspace
   * @param idleHours a session of the console ends after this many hours without use
   */
  static pageOf(
    workspaceId: string,
    { tokenVersion, idleHours }: { tokenVersion: number; idleHours: number },
    window: ListWindow,
  ): Promise<Listed<OpenSession>> {
    const usedSince = { [Op.gte]: new Date(Date.now() - idleHours * 3_600_000) };
    const where = {
      [Op.and]: [literal(isNotRevoked)],
      token_version: tokenVersion,
      expires_at: { [Op.gt]: new Date() },
      [Op.or]: [{ kind: 'jwt' as const }, { last_used_at: usedSince }, { last_used_at: null, created_at: usedSince }],
    };
    return OpenSession.ownedPage(workspaceId, window, { where });
  }
}

/** A process of a version before this table ends a session and leaves its row. */
const isNotRevoked = 'NOT EXISTS (SELECT 1 FROM revoked_tokens r WHERE r.id = "OpenSession".id)';
