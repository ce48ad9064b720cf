/** The process of the hostile tenant. It responds when everything has started, and at the end with the responses that it got. */
import { attackAsTenant, type Hostile, type Target } from './hostile-tenant.js';

/** What the parent sends: the start, or the end. */
export type HostileCommand = Omit<Target, 'cleanup'> | 'stop';

const ends: (() => unknown)[] = [];
let hostile: Hostile | undefined;

process.on('message', (command: HostileCommand) => void follow(command));
process.on('disconnect', () => process.exit(0));

async function follow(command: HostileCommand): Promise<void> {
  if (command !== 'stop') {
    hostile = await attackAsTenant({ ...command, cleanup: { add: (end) => void ends.push(() => end(false)) } });
    process.send?.('begun');
    return;
  }
  await hostile?.stop();
  for (const end of ends) end();
  process.send?.(hostile?.answers, () => process.disconnect());
}
