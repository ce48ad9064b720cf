/** Where a run starts processes one by one: a folder with their logs, ports, and their end. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchUntilReady } from '../../local/processes/launch-until-ready.js';
import type { Command, Part, Running } from '../../local/processes/part.js';
import { PortBook } from '../../local/processes/ports.js';
import { runOnce } from '../../local/processes/run-once.js';
import type { Cleanup } from './cleanup.js';
import { guardedFolder } from './guarded-folder.js';

export interface Stage {
  folder: string;
  logDir: string;
  ports: PortBook;
  /** Runs a command to its end; it is ended with the run, and after so long. */
  run(command: Command, timeoutMs?: number): Promise<string>;
  /** Starts a part, which ends with the run unless it is ended before. Nobody starts it again. */
  start(part: Part): Promise<Running>;
}

const commandMsMax = 120_000;

/** Opens it. The folder is removed in the end, or kept for its logs when the run has failed. */
export async function openStage(name: string, cleanup: Cleanup): Promise<Stage> {
  const { path: folder, record, keep, remove } = guardedFolder(name);
  const logDir = join(folder, 'logs');
  mkdirSync(logDir);
  cleanup.add((hasFailed) => {
    if (!hasFailed) return remove();
    process.stderr.write(`The logs are in ${logDir}\n`);
    keep();
  });
  const stopping = new AbortController();
  const start = async (part: Part) => {
    const running = await launchUntilReady(part, record, stopping.signal);
    cleanup.add(() => running.end());
    return running;
  };
  cleanup.add(() => stopping.abort());
  const run = (command: Command, timeoutMs = commandMsMax) =>
    runOnce(command, record, AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)]));
  return { folder, logDir, ports: new PortBook(folder), run, start };
}
