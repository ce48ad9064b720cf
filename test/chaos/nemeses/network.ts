/** What befalls connections between any two parts. */
import type { FaultMode } from '../../support/network/fault-proxy.js';
import type { Random } from '../random.js';
import type { Link } from '../stage/links.js';
import type { Stage } from '../stage/stage.js';
import type { Episode, Nemesis } from './nemesis.js';

/** Clients and the making of the stage are one: what hangs there tells nothing, but answers may get lost on the way. */
const chooseLink = (stage: Stage, random: Random): Link => random.choose(stage.links.all);

const aimedAt = (link: Link, detail = link.name): Pick<Episode, 'targets' | 'detail' | 'locks'> => ({
  targets: link.ends,
  detail,
  locks: [link.name],
});

const inMode = (link: Link, mode: FaultMode) => () => {
  link.proxy.mode = mode;
};

/** Open connections are reset, new ones too. */
export const cut: Nemesis = (stage, random) => {
  const link = chooseLink(stage, random);
  const begin = () => {
    link.proxy.mode = 'refuse';
    link.proxy.reset();
  };
  return { name: 'cut', ...aimedAt(link), lastsMs: random.between(500, 12_000), begin, end: inMode(link, 'pass') };
};

/** Every packet takes longer. */
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

/** What one of the two says does not arrive until the end, or at all. */
export const oneWay: Nemesis = (stage, random) => {
  const link = chooseLink(stage, random);
  const mode = random.choose(['stall-requests', 'stall-answers'] as const);
  // A partition that lasts ends the connections; a short one is made up for by TCP.
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

/** The caller's request is done, and its connection is reset before the answer arrives. */
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
