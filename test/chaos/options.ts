/** Command line of `npm run chaos`. */
import { parseArgs } from 'node:util';
import { type NemesisName, nemesisNames } from './nemeses/all.js';

export interface Options {
  seeds: number[];
  /** The duration of the load. The start and the wait until all is settled are added to it. */
  minutes: number;
  /** Single sends, or bursts of them, per second on average. */
  bursts: number;
  /** Replaces those of the seed. */
  nemeses?: NemesisName[];
  /** Also keeps the folder of a run without violations. */
  keep: boolean;
}

export const usage = `npm run chaos -- --seed N | --seeds A-B [options]
  --seed N           one run: load, faults and their times follow from the number
  --seeds A-B        one run after the other, each on data of its own
  --minutes 1        minutes of load
  --bursts 1         single sends, or bursts of up to ten, per second: fewer for a slow machine
  --nemeses a,b      these faults instead of those of the seed; none: no faults at all
  --keep             keep history and logs of runs that passed, too
nemeses: ${nemesisNames.join(', ')}`;

const seedMax = 1_000_000;
const minutesMax = 60;
const burstsMax = 20;

/**
 * Parses the command line.
 * @throws Error with a message for the console
 */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string' },
      minutes: { type: 'string', default: '1' },
      bursts: { type: 'string', default: '1' },
      nemeses: { type: 'string' },
      keep: { type: 'boolean', default: false },
    },
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes <= minutesMax)) throw new Error(`--minutes must be above 0 and at most ${minutesMax}`);
  const bursts = Number(values.bursts);
  if (!(bursts > 0 && bursts <= burstsMax)) throw new Error(`--bursts must be above 0 and at most ${burstsMax}`);
  return {
    seeds: readSeeds(values.seed, values.seeds),
    minutes,
    bursts,
    ...(values.nemeses === undefined ? {} : { nemeses: readNemeses(values.nemeses) }),
    keep: values.keep,
  };
}

function readSeeds(seed: string | undefined, seeds: string | undefined): number[] {
  if ((seed === undefined) === (seeds === undefined)) throw new Error('give either --seed N or --seeds A-B');
  const [first = Number.NaN, last = first] = (seed ?? seeds ?? '').split('-').map(Number);
  const isRange = [first, last].every((each) => Number.isInteger(each) && each >= 0 && each <= seedMax) && first <= last;
  if (!isRange) throw new Error(`--seed N, --seeds A-B: whole numbers from 0 to ${seedMax}, A not above B`);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function readNemeses(text: string): NemesisName[] {
  if (text === 'none') return [];
  const given = text.split(',');
  const unknown = given.find((name) => !nemesisNames.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`--nemeses: "${unknown}" is none of ${nemesisNames.join(', ')}`);
  return nemesisNames.filter((name) => given.includes(name));
}
