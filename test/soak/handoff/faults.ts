/** Deploys, kills, freezes and terminated backends, one after the other; what they strike and when is drawn by seed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { rows } from '../../support/database.js';
import type { Child } from '../../support/parts/child.js';
import type { Service } from '../../support/service.js';
import type { Random } from '../../chaos/random.js';

export interface FaultPlan {
  /** Each has a deploy, a kill and a freeze. */
  rounds: number;
  terminations: number;
  random: Random;
}

const freezeMs = 15_000;
const pauseMs = { min: 1_500, max: 4_000 };

/** Runs all faults. @returns how many of each there were, and the exit codes of deployed processes that were not 0 */
export async function runFaults(service: Service, plan: FaultPlan, say: (text: string) => void): Promise<Record<string, number>> {
  const { rounds, random } = plan;
  const done = { deploys: 0, kills: 0, freezes: 0, 'backends terminated': 0, 'deployed processes that did not exit with 0': 0 };
  const parts: Record<string, Child> = { API: service.api, worker: service.worker };
  const pause = () => sleep(random.between(pauseMs.min, pauseMs.max));
  const terminate = terminator(service, plan, (count) => (done['backends terminated'] += count));
  for (let round = 0; round < rounds; round += 1) {
    const turns = random.shuffled(['deploy', 'kill', 'freeze'] as const);
    for (const turn of turns) {
      const name = random.choose(Object.keys(parts));
      const part = parts[name] as Child;
      say(`round ${round + 1}: ${turn}${turn === 'deploy' ? '' : ` of the ${name}`}`);
      if (turn === 'deploy') {
        done['deployed processes that did not exit with 0'] += await deploy(service);
        done.deploys += 1;
      } else if (turn === 'kill') {
        await part.kill();
        await part.start();
        done.kills += 1;
      } else {
        part.freeze();
        await sleep(freezeMs);
        part.unfreeze();
        done.freezes += 1;
      }
      await terminate(round * turns.length + turns.indexOf(turn) + 1);
      await pause();
    }
  }
  return done;
}

/** Ends both processes as a deploy does and starts them again. @returns how many did not exit with 0 */
async function deploy({ api, worker }: Service): Promise<number> {
  const codes = await Promise.all([api, worker].map((part) => part.stop()));
  await Promise.all([api.start(), worker.start()]);
  return codes.filter((code) => code !== 0).length;
}

/** Spreads the terminations evenly over all turns; each ends one backend that is at work, where there is one. */
function terminator({ db }: Service, { rounds, terminations, random }: FaultPlan, count: (ended: number) => void) {
  const turns = rounds * 3;
  let ended = 0;
  return async (turn: number) => {
    for (const due = Math.floor((terminations * turn) / turns); ended < due; ended += 1) {
      await sleep(random.between(0, 500));
      const struck = await rows(db, terminateOne).catch(() => []);
      count(struck.length);
    }
  };
}

const terminateOne = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY (state = 'idle'), random() LIMIT 1`;
