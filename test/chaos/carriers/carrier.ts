/** A carrier of the stage, and its dependencies. */
import type { HistoryWriter } from '../history.js';
import type { Behaviour } from './behaviour.js';
import type { Reporter } from './reporter.js';

export interface CarrierDeps {
  history: HistoryWriter;
  behaviour: Behaviour;
  reporter: Reporter;
  /** The URL for reports. */
  publicUrl: string;
}

/** A running carrier. */
export interface Opened {
  behaviour: Behaviour;
  /** host:port of its front. */
  address: string;
  /** The settings of a process that reaches the front at this address, for example through a proxy. */
  settings(address: string): Record<string, string>;
  close(): Promise<void>;
}
