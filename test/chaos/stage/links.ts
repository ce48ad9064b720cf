/** The connections between the parts of a stage. Each pair of parts has its own fault proxy. */
import { type FaultProxy, startFaultProxy, type Target as Address } from '../../support/network/fault-proxy.js';
import type { Target } from '../records.js';

export interface Link {
  /** For example `worker1>postgres`. The caller is first. */
  name: string;
  /** The caller and the called part. */
  ends: [from: Target, to: Target];
  proxy: FaultProxy;
}

export class Links {
  readonly all: Link[] = [];

  /** Opens a link. @returns host:port for the caller */
  async open(name: string, ends: Link['ends'], target: Address): Promise<string> {
    const proxy = await startFaultProxy(target);
    this.all.push({ name, ends, proxy });
    return proxy.address;
  }

  /** All connections work again. */
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
