import type { Database } from '../../db/database.js';
import { changesBetween } from '../../rules/audit/changes.js';
import { toCredits } from '../../rules/billing/credits.js';
import type { Origin } from '../../rules/audit/origin.js';
import { Workspace } from '../../tables/workspace.js';
import { asCaller } from '../accounts/as-caller.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { definedFields } from '../../rules/values/defined-fields.js';

/** The settings that a workspace controls. Undefined fields are unchanged, null removes a limit. */
export type WorkspaceChange = Partial<Pick<Workspace, 'spend_limit_day' | 'allowed_countries' | 'message_days'>>;

/**
 * Changes the settings of a workspace. Applies to every send that begins after this resolves.
 * @throws AppError unauthorized if the credential has ended
 */
export function updateWorkspace(db: Database, workspaceId: string, change: WorkspaceChange, origin: Origin): Promise<Workspace> {
  return asCaller(db, workspaceId, origin, async (transaction) => {
    const workspace = await Workspace.findByPk(workspaceId, { transaction, rejectOnEmpty: true });
    const given = definedFields(change);
    const settled = settledIn(workspace);
    const changes = changesBetween(shown(settled), shown({ ...settled, ...given }));
    if (Object.keys(changes).length === 0) return workspace;
    await workspace.update({ ...given, updated_at: new Date() }, { transaction });
    const target = { type: 'workspace', id: workspaceId, name: workspace.name } as const;
    await recordAuditEvent(db, transaction, origin, { workspaceId, type: 'workspace.updated', target, changes });
    return workspace;
  });
}

/** As the API shows them: the limit in credits. */
const shown = ({ spend_limit_day: limit, ...rest }: Required<WorkspaceChange>) => ({
  spend_limit_day: limit === null ? null : toCredits(limit),
  ...rest,
});

const settledIn = ({ spend_limit_day, allowed_countries, message_days }: Workspace) => ({
  spend_limit_day,
  allowed_countries,
  message_days,
});
