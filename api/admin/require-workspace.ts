import { isUuid, onOneLine } from '../../models/rules/values/text.js';
import { Workspace } from '../../models/tables/workspace.js';

/** Finds a workspace by its id or e-mail address. @throws Error when there is none */
export async function requireWorkspace(named: string): Promise<Workspace> {
  const found = isUuid(named) ? await Workspace.findByPk(named) : await Workspace.byEmail(named);
  if (found === null) throw new Error(`there is no workspace ${named}. "workspace find" searches names and addresses`);
  return found;
}

/** Name and id of a workspace, for sentences. Its owner chose the name, so it may contain anything. */
export const titleOf = ({ id, name }: Pick<Workspace, 'id' | 'name'>): string => `${onOneLine(name)} (${id})`;
