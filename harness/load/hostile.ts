/** The handle of the process of the hostile tenant. */
import { join } from 'node:path';
import { ask, startChild } from '../stage/child.js';
import type { HostileCommand } from './hostile-process.js';
import type { Answers, Target } from './hostile-tenant.js';

/** Starts the attacks. `stop` ends them, and resolves to their responses. */
export async function startHostile({ cleanup, ...target }: Target): Promise<{ stop(): Promise<Answers> }> {
  const child = startChild(join(import.meta.dirname, 'hostile-process.js'), cleanup);
  await ask(child, target satisfies HostileCommand);
  return { stop: () => ask(child, 'stop' satisfies HostileCommand) };
}
