/** Starts single processes for a run: a folder with logs, ports, and their stop. */
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
  /** Runs a command until it ends. It is stopped at the end of the run, and after the timeout. */
  run(command: Command, timeoutMs?: number): Promise<string>;
  /** Starts a part, which is stopped at the end of the run. It is not restarted. */
  start(part: Part): Promise<Running>;
}

const commandMsMax = 120_000;

/** Opens the stage. Its folder is removed at the end, or kept for its logs if the run fails. */
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
