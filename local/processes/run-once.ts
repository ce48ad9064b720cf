/** Runs a command until it ends, for example initdb, the migration or a build. */
import { lastLines, startProcess, type Command } from './part.js';
import type { RunRecord } from '../state/run-record.js';
import { StartError } from '../output/start-error.js';

/**
 * Runs the command and resolves to its output when it succeeds.
 * @param signal ends the command
 * @throws StartError with the last lines of its output when it fails
 */
export async function runOnce(command: Command, record: RunRecord, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const running = await startProcess(command, record);
  const cancel = () => void running.end();
  signal.addEventListener('abort', cancel);
  const { succeeded, how } = await running.ended;
  signal.removeEventListener('abort', cancel);
  signal.throwIfAborted();
  if (!succeeded) throw new StartError(`${command.name} failed (${how}); the end of ${command.log}:\n${lastLines(running.output())}`);
  return running.output();
}
