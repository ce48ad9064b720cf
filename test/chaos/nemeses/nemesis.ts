/** A fault that begins, lasts for a time, and ends. */
import type { Target } from '../records.js';
import type { Random } from '../random.js';
import type { Stage } from '../stage/stage.js';

/** One occurrence of a fault, with its targets. */
export interface Episode {
  /** The name in the history. */
  name: string;
  targets: Target[];
  /** The exact targets, as text. */
  detail: string;
  /** Resources that no other episode may use at the same time, such as one process. */
  locks: string[];
  lastsMs: number;
  begin(): Promise<void> | void;
  /** Ends the fault. Resolves when the part works again. */
  end(): Promise<void> | void;
}

/** Chooses the targets of one episode. Undefined if this machine cannot execute it. */
export type Nemesis = (stage: Stage, random: Random) => Episode | undefined;

/** How long a frozen part stays frozen: longer than heartbeats, leases and pool waits. */
export const frozenMs = 15_000;
