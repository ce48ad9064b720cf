/** Schedules: each a world, a few operations on it, and one order of their statements; then a judgement. */
import type { Database } from '../../models/db/database.js';
import { testKey } from '../support/rows/reports.js';
import type { Draw } from './drawing.js';
import { type Facts, noFacts } from './facts.js';
import { judge, unrightful } from './judge.js';
import { createRandom, type Random } from './random.js';
import { type Runnable, Scheduler } from './scheduler.js';
import { Stage } from './stage.js';
import { holdStatements } from './track.js';
import { drawWorld, groupsOf, messagesOf, type World } from './world.js';

/** A schedule after which something does not hold. */
export interface Failure {
  seed: number;
  violations: string[];
  /** Statement by statement. */
  steps: string[];
}

const operationsMax = 4;
/** So many worlds stand side by side and are judged together: the judgement costs as much as two schedules, however many there are. */
const besideEachOther = 10;

interface Schedule {
  seed: number;
  random: Random;
  world: World;
  steps: string[];
}

export class Interleaver {
  readonly #stage: Stage;
  readonly #scheduler: Scheduler;

  /**
   * @param db a database of its own, to which no connection was opened yet
   * @param draws the operations to choose from, by name
   */
  constructor(
    private readonly db: Database,
    url: string,
    private readonly draws: Readonly<Record<string, Draw>>,
  ) {
    this.#stage = new Stage(url);
    this.#scheduler = new Scheduler(url);
    holdStatements(db);
  }

  async open(): Promise<void> {
    await this.#stage.open();
    await this.#scheduler.open();
    await testKey(this.db); // operations share it: one that waits for it while another reads it would never come to a statement
  }

  async close(): Promise<void> {
    await this.#stage.close();
    await this.#scheduler.close();
  }

  /**
   * Runs schedules of seeds that follow each other.
   * @param stopAfter how many failures are enough
   */
  async schedules(firstSeed: number, count: number, stopAfter = 1): Promise<{ failures: Failure[]; done: number }> {
    const failures: Failure[] = [];
    let done = 0;
    while (done < count && failures.length < stopAfter) {
      const size = Math.min(besideEachOther, count - done);
      failures.push(...(await this.#together(firstSeed + done, size)));
      done += size;
    }
    return { failures, done };
  }

  /** Runs the schedules of a few seeds one after the other, each in a world of its own, and judges all. */
  async #together(firstSeed: number, count: number): Promise<Failure[]> {
    const schedules = Array.from({ length: count }, (_, index): Schedule => {
      const seed = firstSeed + index;
      const random = createRandom(seed);
      return { seed, random, world: drawWorld(random), steps: [] };
    });
    const facts = noFacts();
    const failures: Failure[] = [];
    await this.#stage.set(schedules.map(({ world }) => world));
    for (const schedule of schedules) {
      const found = await this.#run(schedule, facts);
      if (found.length > 0) failures.push({ ...schedule, violations: found });
    }
    for (const violation of await judge(this.db, facts)) {
      const of = schedules.find(({ world }) => idsOf(world).some((id) => violation.includes(id))) ?? schedules[0];
      const failure = failures.find(({ seed }) => seed === of?.seed);
      if (failure !== undefined) failure.violations.push(violation);
      else if (of !== undefined) failures.push({ ...of, violations: [violation] });
    }
    await this.#stage.clear();
    return failures.toSorted((one, other) => one.seed - other.seed);
  }

  /** @returns the failures of operations that no rule explains */
  async #run(schedule: Schedule, facts: Facts): Promise<string[]> {
    const { random, world } = schedule;
    const chosen = this.#choose({ db: this.db, world, random, facts });
    const { steps, errors } = await this.#scheduler.run(chosen, random);
    schedule.steps = steps;
    return chosen.flatMap(({ name }, index) => unrightful(name, errors[index]));
  }

  /** Two to four operations, numbered, so that two of a kind can be distinguished. */
  #choose(setting: Parameters<Draw>[0]): Runnable[] {
    const { random } = setting;
    const names = Object.keys(this.draws);
    const wanted = 2 + random.below(operationsMax - 1);
    const chosen: Runnable[] = [];
    for (let tries = 0; chosen.length < wanted && tries < 50; tries += 1) {
      const drawn = this.draws[random.pick(names)]?.(setting) ?? null;
      if (drawn !== null) chosen.push({ ...drawn, name: `${chosen.length + 1} ${drawn.name}` });
    }
    return chosen;
  }
}

const idsOf = (world: World): string[] => [
  ...world.workspaceIds,
  ...groupsOf(world).flatMap(([first]) => first?.groupId ?? []),
  ...messagesOf(world).map(({ id }) => id),
  ...(world.batch === null ? [] : [world.batch.id]),
];

/** The failure in words, with the command that repeats it. */
export const explain = ({ seed, violations, steps }: Failure, names: string): string =>
  [
    `Seed ${seed}:`,
    ...violations.map((line) => `  ✗ ${line}`),
    ...steps.map((line, index) => `  ${String(index + 1).padStart(3)}  ${line}`),
    `Repeat it: npm run interleave -- --schedules 1 --seed ${seed}${names === '' ? '' : ` --operations ${names}`}`,
  ].join('\n');
