/** A carrier of the stage, and what it is opened with. */
import type { HistoryWriter } from '../history.js';
import type { Manner } from './manner.js';
import type { Reporter } from './reporter.js';

export interface CarrierDeps {
  history: HistoryWriter;
  manner: Manner;
  reporter: Reporter;
  /** Where reports go. */
  publicUrl: string;
}

/** A carrier that is open. */
export interface Opened {
  manner: Manner;
  /** host:port of its door. */
  address: string;
  /** Settings of a process that reaches the door at this address, through a proxy for example. */
  settings(address: string): Record<string, string>;
  close(): Promise<void>;
}
