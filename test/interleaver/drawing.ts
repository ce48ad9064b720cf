/** How an operation is drawn onto a part of the world. */
import type { Database } from '../../models/db/database.js';
import type { Facts } from './facts.js';
import type { Random } from './random.js';
import type { Runnable } from './scheduler.js';
import { groupsOf, type World, type WorldMessage } from './world.js';

/** What an operation is drawn from, and where it notes what it answered to its caller. */
export interface Setting {
  db: Database;
  world: World;
  random: Random;
  facts: Facts;
}

/** Null where the world has nothing for it. */
export type Draw = (setting: Setting) => Runnable | null;

/** A group with such a message; null when there is none. */
export function groupWith({ world, random }: Setting, ...stages: WorldMessage['stage'][]): WorldMessage[] | null {
  const found = groupsOf(world).filter((group) => group.some(({ stage }) => stages.includes(stage)));
  return found.length === 0 ? null : random.pick(found);
}

/** Short enough to be distinguished by eye. */
export const short = (id: string | undefined): string => (id ?? '').slice(0, 4);
