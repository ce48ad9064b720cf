/** Faults of the connections between any two parts. */
import type { FaultMode } from '../../support/network/fault-proxy.js';
import type { Random } from '../random.js';
import type { Link } from '../stage/links.js';
import type { Stage } from '../stage/stage.js';
import type { Episode, Nemesis } from './nemesis.js';

/** Any link, including those of the clients, where answers may get lost. */
const chooseLink = (stage: Stage, random: Random): Link => random.choose(stage.links.all);

const aimedAt = (link: Link, detail = link.name): Pick<Episode, 'targets' | 'detail' | 'locks'> => ({
  targets: link.ends,
  detail,
  locks: [link.name],
});

const inMode = (link: Link, mode: FaultMode) => () => {
  link.proxy.mode = mode;
};

/** Resets open connections, and new ones. */
export const cut: Nemesis = (stage, random) => {
  const link = chooseLink(stage, random);
  const begin = () => {
    link.proxy.mode = 'refuse';
    link.proxy.reset();
  };
  return { name: 'cut', ...aimedAt(link), lastsMs: random.between(500, 12_000), begin, end: inMode(link, 'pass') };
};

/** Delays every packet. */
export const delay: Nemesis = (stage, random) => {
  const link = chooseLink(stage, random);
  const ms = random.int(100, 1_500);
  const set = (delayMs: number) => () => {
    link.proxy.delayMs = delayMs;
  };
  return {
    name: 'delay',
    ...aimedAt(link, `${link.name} by ${ms} ms`),
    lastsMs: random.between(4_000, 15_000),
    begin: set(ms),
    end: set(0),
  };
};

/** The data of one side arrive after the end of the fault, or never. */
export const oneWay: Nemesis = (stage, random) => {
  const link = chooseLink(stage, random);
  const mode = random.choose(['stall-requests', 'stall-answers'] as const);
  // TCP repairs a short partition. A long one ends the connections.
  const isReset = random.chance(0.5);
  const end = () => {
    if (isReset) link.proxy.reset();
    link.proxy.mode = 'pass';
  };
  return {
    name: 'one-way',
    ...aimedAt(link, `${link.name} ${mode}`),
    lastsMs: random.between(3_000, 16_000),
    begin: inMode(link, mode),
    end,
  };
};

/** The caller's request is executed, and its connection is reset before the answer arrives. */
export const loseAnswers: Nemesis = (stage, random) => {
  const link = random.chance(0.6) ? random.choose(stage.links.all.filter(({ ends }) => ends[1] === 'carrier')) : chooseLink(stage, random);
  return {
    name: 'lose-answers',
    ...aimedAt(link),
    lastsMs: random.between(2_000, 8_000),
    begin: inMode(link, 'lose-answers'),
    end: inMode(link, 'pass'),
  };
};
