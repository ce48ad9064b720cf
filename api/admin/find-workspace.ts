import { isUuid } from '../../models/rules/values/text.js';
import { Workspace } from '../../models/tables/workspace.js';

/** The workspace that an operator names by its id or its e-mail address. @throws Error when there is none */
export async function findWorkspace(named: string): Promise<Workspace> {
  const found = isUuid(named) ? await Workspace.findByPk(named) : await Workspace.byEmail(named);
  if (found === null) throw new Error(`there is no workspace ${named}`);
  return found;
}
