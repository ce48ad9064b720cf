/** Faults of carriers and receivers. */
import type { Mode } from '../carriers/behaviour.js';
import { carrierKinds } from '../carriers/open-carriers.js';
import type { Accidents } from '../carriers/reporter.js';
import type { ReceiverMode } from '../receivers.js';
import type { Nemesis } from './nemesis.js';

/** Changes the behaviour of a carrier. */
export const carrierThat =
  (mode: Exclude<Mode, 'usual'>): Nemesis =>
  (stage, random) => {
    // Most messages go to Twilio.
    const kind = random.choose(['twilio', ...carrierKinds] as const);
    const { behaviour } = stage.carriers[kind];
    const set = (next: Mode) => () => {
      behaviour.mode = next;
    };
    return {
      name: mode,
      targets: ['carrier'],
      detail: kind,
      locks: [`behaviour of ${kind}`],
      lastsMs: random.between(3_000, 15_000),
      begin: set(mode),
      end: set('usual'),
    };
  };

/** Disturbs the reports on messages that are taken during the fault. */
export const reportsAre =
  (accident: keyof Accidents): Nemesis =>
  (stage, random) => {
    const set = (value: boolean) => () => {
      stage.reporter.accidents[accident] = value;
    };
    return {
      name: `reports-${accident}`,
      targets: ['carrier'],
      detail: 'of all carriers',
      locks: [`reports ${accident}`],
      lastsMs: random.between(8_000, 25_000),
      begin: set(true),
      end: set(false),
    };
  };

/** The receivers of some webhooks hang, or refuse everything. */
export const receiversThat =
  (mode: Exclude<ReceiverMode, 'usual'>): Nemesis =>
  (stage, random) => {
    const all = stage.hooks.flat().map(({ receiver }) => receiver);
    const some = random.shuffled(all).slice(0, random.int(1, all.length));
    const set = (next: ReceiverMode) => () => {
      for (const receiver of some) receiver.mode = next;
    };
    return {
      name: `receivers-${mode}`,
      targets: ['receiver'],
      detail: `${some.length} of ${all.length}`,
      locks: ['receivers'],
      lastsMs: random.between(4_000, 20_000),
      begin: set(mode),
      end: set('usual'),
    };
  };
