/** Faults of processes: killed, terminated, stopped for a time. */
import type { Target } from '../records.js';
import type { Random } from '../random.js';
import type { Actor } from '../stage/actor.js';
import { drainMsMax } from '../stage/processes.js';
import type { Stage } from '../stage/stage.js';
import { frozenMs, type Nemesis } from './nemesis.js';

type Part = 'api' | 'worker' | 'temporal' | 'postgres' | 'redis';

/** One process of this part. */
function choose(stage: Stage, random: Random, part: Part): Actor {
  if (part !== 'api' && part !== 'worker') return stage.servers[part];
  return random.choose(stage.processes.filter(({ kind }) => kind === part)).actor;
}

const aimedAt = (part: Part, actor: Actor) => ({ targets: [part] satisfies Target[], detail: actor.name, locks: [actor.name] });

/** SIGKILL. The process is down for a time. A server starts again with the same data. */
export const killOf =
  (part: Part): Nemesis =>
  (stage, random) => {
    const actor = choose(stage, random, part);
    return {
      name: 'kill',
      ...aimedAt(part, actor),
      lastsMs: random.between(0, 6_000),
      begin: () => actor.kill(),
      end: () => actor.start(),
    };
  };

/** A deploy: SIGTERM. When the process has exited by itself, with code 0, the next one starts. */
export const terminateOf =
  (part: 'api' | 'worker'): Nemesis =>
  (stage, random) => {
    const actor = choose(stage, random, part);
    return {
      name: 'terminate',
      ...aimedAt(part, actor),
      lastsMs: 0,
      begin: () => actor.terminate(drainMsMax),
      end: () => actor.start(),
    };
  };

/** SIGSTOP for longer than all timeouts of its peers, then SIGCONT: the process continues without noticing. */
export const stopOf =
  (part: Part, name = 'stop'): Nemesis =>
  (stage, random) => {
    const actor = choose(stage, random, part);
    return { name, ...aimedAt(part, actor), lastsMs: frozenMs, begin: () => actor.freeze(), end: () => actor.thaw() };
  };

/** Shifts the clock of a worker, and later corrects it. */
export const clockBy =
  (seconds: number): Nemesis =>
  (stage, random) => {
    const worker = random.choose(stage.processes.filter(({ kind }) => kind === 'worker'));
    const shiftMs = seconds * 1000 * (random.chance(0.5) ? 1 : -1);
    return {
      name: 'clock',
      targets: ['worker'],
      detail: `${worker.name} ${shiftMs} ms`,
      locks: [`clock of ${worker.name}`],
      lastsMs: random.between(8_000, 20_000),
      begin: () => worker.shiftClock(shiftMs),
      end: () => worker.shiftClock(0),
    };
  };
