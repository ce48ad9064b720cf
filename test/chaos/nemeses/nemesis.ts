/** A fault that begins, lasts a while and ends. */
import type { Target } from '../history.js';
import type { Random } from '../random.js';
import type { Stage } from '../stage/stage.js';

/** One occurrence, aimed at something. */
export interface Episode {
  /** As the history names it. */
  name: string;
  targets: Target[];
  /** At whom exactly, in words. */
  detail: string;
  /** What no other episode may hold at the same time, such as the life of one process. */
  locks: string[];
  lastsMs: number;
  begin(): Promise<void> | void;
  /** Undoes it; resolves when the part serves again. */
  end(): Promise<void> | void;
}

/** Aims one episode. Undefined where this machine cannot do it. */
export type Nemesis = (stage: Stage, random: Random) => Episode | undefined;

/** How long a frozen part stays frozen: longer than heartbeats, leases and pool waits. */
export const frozenMs = 15_000;
