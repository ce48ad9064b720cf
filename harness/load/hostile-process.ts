/** The process of the hostile tenant. It starts on command of its parent, and returns its responses at the end. */
import { attackAsTenant, type AttackName, type Hostile } from './hostile-tenant.js';

/** Messages to the parent: everything has started; the responses by action. */
export type HostileNews = { begun: true } | { answers: [what: string, counts: [status: number, count: number][]][] };

/** What the parent sends: the start, or the end. */
export type HostileOrder = { baseUrl: string; databaseUrl: string; only: readonly AttackName[] } | 'stop';

const ends: (() => unknown)[] = [];
let hostile: Hostile | undefined;

process.on('message', (order: HostileOrder) => void follow(order));
process.on('disconnect', () => process.exit(0));

async function follow(order: HostileOrder): Promise<void> {
  if (order !== 'stop') {
    hostile = await attackAsTenant({ ...order, cleanup: { add: (end) => void ends.push(() => end(false)) } });
    process.send?.({ begun: true } satisfies HostileNews);
    return;
  }
  await hostile?.stop();
  for (const end of ends) end();
  const answers = [...(hostile?.answers ?? [])].map(([what, counts]) => [what, [...counts]] as [string, [number, number][]]);
  process.send?.({ answers } satisfies HostileNews, () => process.disconnect());
}
