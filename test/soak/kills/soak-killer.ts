/** Kills parts of the service on a schedule. The launcher starts them again. */
import { killGroup } from '../../../local/processes/process-identity.js';
import type { Cleanup } from '../../../harness/stage/cleanup.js';
import type { PartName, Service } from '../../../harness/stage/service.js';

/** Each alone, so that the other one meets its absence, and both together. */
const turns: readonly (readonly PartName[])[] = [['API'], ['worker'], ['API', 'worker']];
/** The launcher doubles its pause with every death, up to 30 s: after more than these a part would hardly ever be up. */
const usualKillsMaxOfPart = 6;

export interface Killer {
  /** Kills now, beside the schedule. */
  strike(name: PartName): void;
  /** How often each part was killed. */
  kills: ReadonlyMap<PartName, number>;
  stop(): void;
}

/** Begins to kill, with SIGKILL, whom the turn names; who is down already is left out. */
export function startKiller(service: Service, everyMs: number, cleanup: Cleanup, killsMaxOfPart = usualKillsMaxOfPart): Killer {
  const kills = new Map<PartName, number>();
  let turn = 0;
  const strike = (name: PartName) => {
    const part = service.part(name);
    const count = (kills.get(name) ?? 0) + 1;
    if (part === undefined || count > killsMaxOfPart) return;
    killGroup(part);
    kills.set(name, count);
  };
  const timer = setInterval(() => {
    for (const name of turns[turn % turns.length] ?? []) strike(name);
    turn += 1;
  }, everyMs);
  const stop = () => clearInterval(timer);
  cleanup.add(stop);
  return { kills, strike, stop };
}
