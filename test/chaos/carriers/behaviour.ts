/** The behaviour of a carrier towards callers. Nemeses change it. Usually a carrier is slow, and refuses some messages permanently. */
import type { Random } from '../random.js';

/**
 * - `usual`: takes the message after a while, and answers after another while
 * - `hang`: never answers, and has taken half of the messages
 * - `throttle`: 429 to most calls
 * - `fail`: 503 and 500; with some of the 500s, it has taken the message
 * - `lose-answers`: takes the message and cuts the connection
 */
export type Mode = 'usual' | 'hang' | 'throttle' | 'fail' | 'lose-answers';

/** What a carrier does with one call. */
export type Reaction =
  | { kind: 'answer' }
  /** The message will never be sent. */
  | { kind: 'refuse' }
  | { kind: 'busy'; status: 429 | 500 | 503; takes: boolean }
  /** No answer: the connection stays open, or is cut. */
  | { kind: 'silence'; takes: boolean; cuts: boolean };

/** Whether the carrier takes the message. */
export const takes = (reaction: Reaction): boolean => reaction.kind === 'answer' || ('takes' in reaction && reaction.takes);

export interface Behaviour {
  mode: Mode;
  /** Milliseconds until the message is taken, and from then until the answer. */
  latency(): { before: number; after: number };
  reaction(): Reaction;
}

const refusedShare = 0.03;

/** @param latencyMs the shortest and the longest duration of a call */
export function behaviourOf(random: Random, [shortestMs, longestMs]: readonly [number, number]): Behaviour {
  const behaviour: Behaviour = {
    mode: 'usual',
    latency: () => {
      const whole = random.between(shortestMs, longestMs);
      const before = whole * random.next();
      return { before, after: whole - before };
    },
    reaction: () => reactionIn(behaviour.mode, random),
  };
  return behaviour;
}

function reactionIn(mode: Mode, random: Random): Reaction {
  const draw = random.next();
  switch (mode) {
    case 'usual':
      return draw < refusedShare ? { kind: 'refuse' } : { kind: 'answer' };
    case 'hang':
      return { kind: 'silence', takes: draw < 0.5, cuts: false };
    case 'throttle':
      return draw < 0.8 ? { kind: 'busy', status: 429, takes: false } : { kind: 'answer' };
    case 'fail':
      if (draw < 0.4) return { kind: 'busy', status: 503, takes: false };
      return draw < 0.8 ? { kind: 'busy', status: 500, takes: draw < 0.6 } : { kind: 'answer' };
    case 'lose-answers':
      return draw < 0.7 ? { kind: 'silence', takes: true, cuts: true } : { kind: 'answer' };
  }
}
