/** Three ways to a service: one that works, one that loses answers, one that refuses connections. */
import { type FaultMode, type FaultProxy, startFaultProxy } from '../support/network/fault-proxy.js';

/** How many messages a client sends through them. More of them by hand: see test/soak/README.md. */
export const sends = Number(process.env.CLIENT_SENDS ?? 200);

export interface ThreeWays {
  pass: FaultProxy;
  loseAnswers: FaultProxy;
  refuse: FaultProxy;
  close(): Promise<void>;
}

/** @param url of the service */
export async function startThreeWays(url: string): Promise<ThreeWays> {
  const open = async (mode: FaultMode) => Object.assign(await startFaultProxy(new URL(url).host), { mode });
  const [pass, loseAnswers, refuse] = await Promise.all([open('pass'), open('lose-answers'), open('refuse')]);
  return { pass, loseAnswers, refuse, close: async () => void (await Promise.all([pass, loseAnswers, refuse].map((way) => way.close()))) };
}
