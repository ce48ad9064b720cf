/** All nemeses, by their names on the command line. */
import { randomOf } from '../random.js';
import { backends, fullDisk } from './database.js';
import type { Nemesis } from './nemesis.js';
import { cut, delay, loseAnswers, oneWay } from './network.js';
import { carrierThat, receiversThat, reportsAre } from './outside.js';
import { clockBy, killOf, stopOf, terminateOf } from './processes.js';

export const nemeses = {
  'kill-api': killOf('api'),
  'kill-worker': killOf('worker'),
  'kill-temporal': killOf('temporal'),
  'kill-postgres': killOf('postgres'),
  'terminate-api': terminateOf('api'),
  'terminate-worker': terminateOf('worker'),
  'stop-api': stopOf('api'),
  'stop-worker': stopOf('worker'),
  'stop-temporal': stopOf('temporal'),
  'stop-postgres': stopOf('postgres'),
  backends,
  cut,
  delay,
  'one-way': oneWay,
  'lose-answers': loseAnswers,
  'redis-gone': killOf('redis'),
  'redis-frozen': stopOf('redis', 'freeze'),
  'disk-full': fullDisk,
  'clock-2s': clockBy(2),
  'clock-30s': clockBy(30),
  'carrier-hang': carrierThat('hang'),
  'carrier-throttle': carrierThat('throttle'),
  'carrier-fail': carrierThat('fail'),
  'carrier-lose-answers': carrierThat('lose-answers'),
  'reports-shuffled': reportsAre('shuffled'),
  'reports-doubled': reportsAre('doubled'),
  'reports-forged': reportsAre('forged'),
  'reports-late': reportsAre('late'),
  'receivers-hang': receiversThat('hang'),
  'receivers-fail': receiversThat('fail'),
} as const satisfies Record<string, Nemesis>;

export type NemesisName = keyof typeof nemeses;
export const nemesisNames = Object.keys(nemeses) as NemesisName[];

const perSeed = 6;

/** The nemeses of a seed. They are dealt like cards, so that each one is in at least five of any thirty consecutive seeds. */
export function nemesesOf(seed: number): NemesisName[] {
  const first = seed * perSeed;
  const dealt = Array.from({ length: perSeed }, (_, index) => cardAt(first + index));
  return [...new Set(dealt)];
}

function cardAt(place: number): NemesisName {
  const deck = Math.floor(place / nemesisNames.length);
  return randomOf(deck).fork('deck').shuffled(nemesisNames)[place % nemesisNames.length] as NemesisName;
}
