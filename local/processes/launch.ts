/** The context of a start, and how its steps run in parallel. */
import type { Output } from '../output/output.js';
import type { Command, Part } from './part.js';
import type { Plan } from '../plan/plan.js';
import type { PortBook } from './ports.js';
import type { RunRecord } from '../state/run-record.js';
import { Supervisor } from './supervisor.js';

export interface Launch {
  plan: Plan;
  output: Output;
  record: RunRecord;
  ports: PortBook;
  logDir: string;
  /** Aborted when the start is given up. */
  cancel: AbortSignal;
  /** The processes that have to be stopped in the end, by name. */
  supervisors: Map<string, Supervisor>;
  /** Runs a command to its end. */
  run(command: Command, timeoutMs?: number): Promise<string>;
}

/** Starts a part and keeps it running. */
export async function startPart(launch: Launch, part: Part): Promise<void> {
  launch.cancel.throwIfAborted();
  const supervisor = new Supervisor(part, launch.record, launch.output);
  await supervisor.start(launch.cancel);
  launch.supervisors.set(part.name, supervisor);
}

/**
 * Waits for all steps. When one fails, calls `giveUp` at once, and throws the failure when the others have ended too, so that nothing starts
 * after the stop has begun.
 */
export async function together<T extends readonly Promise<unknown>[] | []>(
  steps: T,
  giveUp: () => void,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  for (const step of steps) step.catch(giveUp);
  try {
    return await Promise.all(steps);
  } catch (error) {
    await Promise.allSettled(steps);
    throw error;
  }
}
