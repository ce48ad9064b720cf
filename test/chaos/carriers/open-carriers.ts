/** All carriers of a stage. */
import type { Random } from '../random.js';
import type { CarrierDeps, Opened } from './carrier.js';
import { openMeta, openSes, openTwilio } from './http-carriers.js';
import { behaviourOf } from './behaviour.js';
import { openSmtp } from './smtp-carrier.js';

/** Twilio has the latency of real SMS providers, the others that of mail and chat. */
const kinds = {
  twilio: { open: openTwilio, latencyMs: [200, 3_000] },
  meta: { open: openMeta, latencyMs: [100, 1_000] },
  ses: { open: openSes, latencyMs: [50, 600] },
  smtp: { open: openSmtp, latencyMs: [50, 1_000] },
} as const;

export type CarrierKind = keyof typeof kinds;
export const carrierKinds = Object.keys(kinds) as CarrierKind[];

/** Starts all carriers. @param common what they share: history, reporter, address of the service */
export async function openCarriers(random: Random, common: Omit<CarrierDeps, 'behaviour'>): Promise<Record<CarrierKind, Opened>> {
  const opened = carrierKinds.map(async (kind) => {
    const { open, latencyMs } = kinds[kind];
    return [kind, await open({ ...common, behaviour: behaviourOf(random.fork(kind), latencyMs) })] as const;
  });
  return Object.fromEntries(await Promise.all(opened)) as Record<CarrierKind, Opened>;
}
