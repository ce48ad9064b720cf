/** The connections between the parts of a stage: each pair that talks has a fault proxy of its own. */
import { type FaultProxy, startFaultProxy, type Target as Address } from '../../support/network/fault-proxy.js';
import type { Target } from '../history.js';

export interface Link {
  /** For example `worker1>postgres`; who calls stands first. */
  name: string;
  /** Who calls, and who is called. */
  ends: [from: Target, to: Target];
  proxy: FaultProxy;
}

export class Links {
  readonly all: Link[] = [];

  /** Opens a link. @returns host:port for whoever calls */
  async open(name: string, ends: Link['ends'], target: Address): Promise<string> {
    const proxy = await startFaultProxy(target);
    this.all.push({ name, ends, proxy });
    return proxy.address;
  }

  /** Everything goes through again. */
  heal(): void {
    for (const { proxy } of this.all) {
      proxy.delayMs = 0;
      proxy.mode = 'pass';
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map(({ proxy }) => proxy.close()));
  }
}
